import { describe, expect, it } from 'vitest';
import type { Actor } from '../../sandbox/judge/history.ts';
import { judge } from '../../sandbox/judge/judge.ts';
import { toldOnTheBus } from '../../sandbox/judge/rules/said/announced.ts';
import { historyOf, policy, react, type Script, twoServe } from './histories.ts';

const details = (write: (script: Script) => void): readonly string[] =>
  judge(
    historyOf((script) => {
      twoServe(script);
      script.at(1, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 1 } });
      write(script);
    }),
    { rules: [toldOnTheBus], allowances: [] },
  ).broken.map(({ detail }) => detail);

describe('words on the bus about what falls short', () => {
  it('come within a minute after the drain in which EC2 refused to end an instance', () => {
    const told = (second: number, instances: readonly string[]) =>
      details((script) => {
        for (const status of ['started', 'succeeded'] as const)
          script.at(status === 'started' ? 99 : 160, { kind: 'drain', drain: 'd-1', group: 'web', instances, status });
        script.refuse(100, 'i-1');
        const detail = { group: 'web', drain: 'd-1', code: 'not-ended', awsCode: 'OperationNotPermitted', instances: ['i-1'] };
        script.at(second, { kind: 'announced', detailType: 'Holdfast Swap Failed', detail });
      }).filter((text) => text.startsWith('EC2 refused'));
    expect(told(219, ['i-1', 'i-2'])).toEqual([]);
    expect(told(221, ['i-1', 'i-2'])).toHaveLength(1);
    expect(told(165, ['i-2'])).toHaveLength(1);
  });
  it('name every swap whose instance EC2 refused to end, and no other', () => {
    const failed = (refused: readonly string[], told: readonly string[]) =>
      details((script) => {
        for (const instance of refused) script.refuse(100, instance);
        const detail = { group: 'web', drain: 'd-1', code: 'not-ended', awsCode: 'OperationNotPermitted', instances: told };
        script.at(101, { kind: 'announced', detailType: 'Holdfast Swap Failed', detail });
      });
    expect(failed(['i-1'], ['i-1'])).toEqual([]);
    expect(failed(['i-1', 'i-2'], ['i-1'])).toEqual(['EC2 refused to terminate i-2, and no event reported its swap as failed']);
    expect(failed(['i-1'], ['i-1', 'i-2'])).toEqual(['an event reported the swap of i-2 as failed, and EC2 did not refuse to terminate it']);
  });

  it('name every member that serves on because no call took it out of service, and no other', () => {
    const told = (failedCalls: readonly string[], finished: readonly string[], failed: readonly string[], drain = 'd-1') =>
      details((script) => {
        const shortfall = { code: 'still-in-service', awsCode: 'AccessDenied' };
        const called = { invocation: 'i-d', function: 'holdfast-begin-drain', service: 'elasticloadbalancing', operation: 'DeregisterTargets' };
        const outcome = { askedAtMs: 100_000, outcome: 'AccessDenied', applied: false, isMutating: true };
        script.at(100, { kind: 'called', ...called, ...outcome, takesOut: failedCalls });
        const ended = { group: 'web', drain: 'd-1', drained: finished, gone: [], shortfalls: [{ ...shortfall, instances: finished }] };
        script.at(101, { kind: 'announced', detailType: 'Holdfast Drain Finished', detail: ended });
        script.at(101, { kind: 'announced', detailType: 'Holdfast Swap Failed', detail: { group: 'web', drain, ...shortfall, instances: failed } });
      }).filter((text) => text.includes('taken out of service'));
    expect(told(['i-1'], ['i-1'], ['i-1'])).toEqual([]);
    expect(told(['i-1', 'i-2'], ['i-1', 'i-2'], ['i-1'])).toEqual([
      'i-2 could not be taken out of service, and no event reported its swap as failed',
    ]);
    expect(told(['i-1'], ['i-1'], ['i-1'], 'd-2')).toHaveLength(1);
    expect(told(['i-1'], ['i-1'], ['i-1', 'i-2'])).toEqual(['an event reported that i-2 could not be taken out of service, and no such call failed']);
  });

  it('report no policy as accepted before it was', () => {
    const accepted = (second: number, version: number) =>
      details((script) => {
        script.policy(100, 2, policy);
        script.at(100, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 2 } });
        script.at(second, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version } });
      });
    expect(accepted(101, 2)).toEqual([]);
    expect(accepted(99, 2)).toHaveLength(1);
    expect(accepted(101, 3)).toEqual(['an event reported version 3 of web as accepted, and it is not in force']);
  });

  it('report exhausted capacity only while members are missing, and do not count a stray as a member', () => {
    const { 'od-b': _, ...onSpot } = policy.pools;
    const told = (tags: Readonly<Record<string, string>> | undefined) =>
      details((script) => {
        script.policy(50, 2, { ...policy, capacity: { spread: ['spot-a', 'spot-b'] }, pools: onSpot });
        script.at(50, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 2 } });
        script.end(90, 'i-1');
        if (tags !== undefined) script.launch(95, 'i-9', { pool: 'od-b', by: { kind: 'user' } });
        if (tags !== undefined) script.at(95, { kind: 'tagged', instance: 'i-9', tags, by: { kind: 'user' } });
        script.at(104, { kind: 'announced', detailType: 'Holdfast Capacity Exhausted', detail: { group: 'web', unplaced: 1 } });
      });
    const stray = { 'holdfast:group': 'holdfast/web' };
    expect(told(undefined)).toEqual([]);
    expect(told(stray)).toEqual([]);
    expect(told({ ...stray, 'holdfast:pool': 'spot-a' })).toEqual(['an event reported exhausted capacity, and 2 of 2 members are there']);
  });

  it('report exhausted capacity also where members cannot be replaced that the policy holds elsewhere', () => {
    const asgs = Object.fromEntries(Object.entries(policy.pools).map(([name, pool]) => [name, { ...pool, asg: name }]));
    const told = (pools: object) =>
      details((script) => {
        script.policy(50, 2, { ...policy, pools });
        script.at(50, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 2 } });
        script.at(104, { kind: 'announced', detailType: 'Holdfast Capacity Exhausted', detail: { group: 'web', unplaced: 1 } });
      });
    expect(told(asgs)).toEqual([]);
    expect(told(policy.pools)).toContain('an event reported exhausted capacity, and 2 of 2 members are there');
  });

  it('report exhausted capacity also when an Auto Scaling group refills itself while they are sent', () => {
    const told = (launchedS: number, by: Actor = { kind: 'asg', asg: 'web-asg', why: 'size' }) =>
      details((script) => {
        script.end(90, 'i-1');
        script.react(100, 104, 'i-a');
        script.launch(launchedS, 'i-9', { by, tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a' } });
        script.at(103, { kind: 'announced', detailType: 'Holdfast Capacity Exhausted', detail: { group: 'web', unplaced: 1 } });
        const called = { invocation: 'i-a', function: 'react', service: 'events', operation: 'PutEvents' };
        script.at(103, { kind: 'called', ...called, askedAtMs: 102_900, outcome: 'ok', applied: true, isMutating: true });
      });
    expect(told(102)).toEqual([]);
    expect(told(99)).toEqual(['an event reported exhausted capacity, and 2 of 2 members are there']);
    expect(told(102, react('i-b'))).toHaveLength(1);
  });

  it('report exhausted capacity when a look was refused and leaves its group short', () => {
    const refused = ({ tells = false, launches = false, dies = true, injected = false, isAttached = false } = {}) =>
      details((script) => {
        if (isAttached) {
          script.policy(50, 2, { ...policy, asg: 'web-asg' });
          script.at(50, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 2 } });
        }
        if (dies) script.end(90, 'i-1');
        script.react(100, 104, 'i-a', [], injected);
        script.refuseCapacity(102, 'i-a');
        if (launches) script.launch(103, 'i-3', { by: react('i-a') });
        if (launches) script.at(104, { kind: 'announced', detailType: 'Holdfast Fallback', detail: { group: 'web' } });
        if (tells) script.at(104, { kind: 'announced', detailType: 'Holdfast Capacity Exhausted', detail: { group: 'web', unplaced: 1 } });
      });
    expect(refused()).toEqual(['web was refused capacity and is short, and that was not sent to the bus']);
    expect(refused({ tells: true })).toEqual([]);
    expect(refused({ launches: true })).toEqual([]);
    expect(refused({ dies: false })).toEqual([]);
    expect(refused({ injected: true })).toEqual([]);
    expect(refused({ isAttached: true })).toEqual([]);
  });

  it('need not report a shortage for a member that leaves on advice and drains first: it is replaced once it has gone', () => {
    const short = (order: string, ...more: readonly ((script: Script) => void)[]) =>
      details((script) => {
        script.policy(1, 1, { ...policy, swap: { order } });
        script.advise(80, 'i-1');
        script.react(81, 83, 'i-h', [{ about: 'advice', instance: 'i-1' }]);
        script.claim(82, 'i-1', 'i-h');
        script.takeOut(84, 'i-1');
        for (const write of more) write(script);
        script.react(100, 104, 'i-a');
        script.refuseCapacity(102, 'i-a');
      }).filter((text) => text.startsWith('web was refused')).length;
    expect([short('drain-first'), short('launch-first')]).toEqual([0, 1]);
    const warned = (script: Script): void => {
      script.warn(90, 'i-1');
      script.react(91, 92, 'i-w', [{ about: 'warning', instance: 'i-1' }]);
    };
    expect(short('drain-first', warned)).toBe(1);
    expect(short('drain-first', (script) => script.end(95, 'i-1'))).toBe(1);
    expect(short('drain-first', (script) => script.end(95, 'i-2'))).toBe(1);
  });

  it('report the shortage that the last round of a decision found', () => {
    const told = (unplaced: number, rounds: unknown) =>
      judge(
        {
          ...historyOf((script) => {
            twoServe(script);
            script.at(1, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 1 } });
            for (const instance of ['i-1', 'i-2']) script.end(60, instance);
            script.react(100, 104, 'i-a');
            script.refuseCapacity(102, 'i-a');
            script.at(104, { kind: 'announced', detailType: 'Holdfast Capacity Exhausted', detail: { group: 'web', decision: 'd-1', unplaced } });
          }),
          stored: { states: {}, swaps: [], deadLetters: 0, staleMessages: 0, decisions: [{ id: 'd-1', group: 'web', rounds }] },
        },
        { rules: [toldOnTheBus], allowances: [] },
      ).broken.map(({ detail }) => detail);
    expect(told(2, [{ unplaced: 1 }, { unplaced: 2 }])).toEqual([]);
    expect(told(1, [{ unplaced: 1 }, { unplaced: 2 }])).toEqual([
      'an event reported exhausted capacity for 1 members, and its decision found 2 in the end',
    ]);
    // The rounds of a large decision may not fit into its item.
    expect(told(1, { trimmed: '400 KB' })).toEqual([]);
  });

  it('report no shortage as larger than what the group can lack', () => {
    const told = (unplaced: number, write: (script: Script) => void = () => undefined) =>
      details((script) => {
        script.end(60, 'i-1');
        script.react(100, 104, 'i-a');
        script.refuseCapacity(102, 'i-a');
        write(script);
        script.at(104, { kind: 'announced', detailType: 'Holdfast Capacity Exhausted', detail: { group: 'web', unplaced } });
      });
    expect(told(1)).toEqual([]);
    expect(told(2)).toEqual(['an event reported exhausted capacity for 2 members, and at most 1 were missing']);
    // One more was wanted, or one more ended, while the look went on.
    expect(told(2, (script) => script.desired(95, 3))).toEqual([]);
    expect(told(2, (script) => script.end(103, 'i-2'))).toEqual([]);
    // A member that was launched while the look went on may not be known to it.
    expect(told(2, (script) => script.launch(101, 'i-3'))).toContain(
      'an event reported exhausted capacity for 2 members, and at most 1 were missing',
    );
  });

  it('need not report a fallback when a look requested the rest of one request after a refusal', () => {
    const rest = (reservation: string) =>
      details((script) => {
        script.end(90, 'i-1');
        script.react(100, 110, 'i-a', []);
        script.launch(104, 'i-3', { by: react('i-a'), askedS: 103 });
        script.refuseCapacity(104, 'i-a');
        script.launch(106, 'i-4', { by: react('i-a'), askedS: 105, tags: { 'holdfast:reservation': reservation } });
        for (const instance of ['i-3', 'i-4']) script.serves(107, instance);
      });
    expect(rest('r-i-3')).toEqual([]);
    expect(rest('r-i-4')).toEqual(['i-a fell back after a refusal, and did not send that to the bus']);
  });

  it('report a fallback when a look requested launches after a refusal, of the same group', () => {
    const fellBack = (askedS: number, told?: string, group = 'web') =>
      details((script) => {
        script.policy(1, 1, { ...policy, group: 'api' }, 'api');
        script.at(1, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'api', version: 1 } });
        script.end(90, 'i-1');
        script.react(100, 110, 'i-a', []);
        script.refuseCapacity(104, 'i-a');
        script.launch(106, 'i-3', { by: react('i-a'), askedS, group });
        script.serves(107, 'i-3');
        if (group !== 'web') script.at(109, { kind: 'announced', detailType: 'Holdfast Capacity Exhausted', detail: { group: 'web', unplaced: 1 } });
        if (told !== undefined) script.at(109, { kind: 'announced', detailType: 'Holdfast Fallback', detail: { group: told } });
      });
    const missing = ['i-a fell back after a refusal, and did not send that to the bus'];
    expect(fellBack(105)).toEqual(missing);
    expect(fellBack(105, 'web')).toEqual([]);
    expect(fellBack(105, 'api')).toEqual(missing);
    // Both requests were under way when one was refused, or the launch is another group's.
    expect(fellBack(103)).toEqual([]);
    expect(fellBack(105, undefined, 'api')).toEqual([]);
  });

  it('name the swap of every claim, also of a group that is let go right after it', () => {
    const claimed = (told: boolean) =>
      details((script) => {
        script.warn(100, 'i-1');
        script.claim(101, 'i-1', 'i-0');
        if (told) script.at(102, { kind: 'announced', detailType: 'Holdfast Swap Started', detail: { group: 'web', instances: ['i-1'] } });
        script.letGo(103);
        script.at(104, { kind: 'announced', detailType: 'Holdfast Group Let Go', detail: { group: 'web', lastVersion: 1 } });
      }).filter((text) => text.endsWith('was not sent to the bus'));
    expect(claimed(true)).toEqual([]);
    expect(claimed(false)).toEqual(['the swap of i-1 was not sent to the bus']);
  });

  it('report a group that is let go with the version that was in force, and launches that go on in its place do not', () => {
    const letGo = (detail: object) =>
      details((script) => {
        script.letGo(103);
        script.at(104, { kind: 'announced', detailType: 'Holdfast Group Let Go', detail: { group: 'web', ...detail } });
      });
    expect(letGo({ lastVersion: 1 })).toEqual([]);
    expect(letGo({ launched: ['i-1'], unanswered: [] })).toEqual(['Holdfast Group Let Go of web was not sent to the bus']);
    expect(letGo({ lastVersion: 2 })).toEqual(['Holdfast Group Let Go of web was not sent to the bus']);
  });

  it('report nothing of a group that was let go when the look ended', () => {
    const letGo = (atS: number) =>
      details((script) => {
        script.end(90, 'i-1');
        script.react(100, 104, 'i-a', []);
        script.refuseCapacity(102, 'i-a');
        script.letGo(atS);
        script.at(atS, { kind: 'announced', detailType: 'Holdfast Group Let Go', detail: { group: 'web', lastVersion: 1 } });
      });
    expect(letGo(103)).toEqual([]);
    expect(letGo(105)).toEqual(['web was refused capacity and is short, and that was not sent to the bus']);
  });

  it('report no shortage that a smaller size ended before another look went on, where the rounds of a look ran out of time', () => {
    const smaller = (endedS: number, smallerS: number) =>
      details((script) => {
        script.end(90, 'i-1');
        script.react(100, endedS, 'i-a', []);
        script.refuseCapacity(102, 'i-a');
        script.desired(smallerS, 1, 2);
      });
    const missing = ['web was refused capacity and is short, and that was not sent to the bus'];
    expect(smaller(107, 110)).toEqual([]);
    expect(smaller(107, 123)).toEqual(missing);
    expect(smaller(104, 110)).toEqual(missing);
  });

  it('come later for a policy when each call that would send them meets trouble', () => {
    const told = (atS: number, failedAtS: readonly number[], trouble: { readonly trouble?: 'fault' } = { trouble: 'fault' }) =>
      details((script) => {
        script.policy(100, 2, policy);
        for (const second of failedAtS)
          script.at(second, {
            kind: 'called',
            invocation: `i-${second}`,
            function: 'holdfast-accept-policy',
            service: 'events',
            operation: 'PutEvents',
            askedAtMs: 1_000 * second,
            outcome: 'ThrottlingException',
            applied: false,
            isMutating: true,
            ...trouble,
          });
        script.at(atS, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 2 } });
      });
    const missing = ['Holdfast Policy Accepted of web was not sent to the bus'];
    expect(told(281, [100, 160, 220])).toEqual([]);
    expect(told(281, [100, 160, 220], {})).toEqual(missing);
    expect(told(281, [100, 160])).toEqual(missing);
    expect(told(281, [220])).toEqual(missing);
    expect(told(161, [])).toEqual(missing);
  });

  describe('of a policy that a run put in force, and whose next call met a fault', () => {
    const missing = ['Holdfast Policy Accepted of web was not sent to the bus'];
    type Failed = { readonly by?: string; readonly trouble?: 'fault' };
    const told = (atS: number, { by = 'i-a', trouble }: Failed) =>
      details((script) => {
        script.policy(100, 2, policy);
        const call = { function: 'holdfast-accept-policy', service: 'dynamodb', operation: 'PutItem', applied: true, isMutating: true } as const;
        script.at(100, { kind: 'called', ...call, invocation: 'i-a', askedAtMs: 100_000, outcome: 'ok' });
        script.at(101, {
          kind: 'called',
          ...call,
          invocation: by,
          askedAtMs: 101_000,
          outcome: 'ThrottlingException',
          applied: false,
          ...(trouble && { trouble }),
        });
        script.at(atS, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 2 } });
      });

    it('may come with the next run', () => {
      expect(told(190, { trouble: 'fault' })).toEqual([]);
    });

    it('may come no later than that, and is due within a minute where the call of another run met the fault, or none did', () => {
      expect(told(192, { trouble: 'fault' })).toEqual(missing);
      expect(told(161, { by: 'i-b', trouble: 'fault' })).toEqual(missing);
      expect(told(161, {})).toEqual(missing);
    });
  });

  it('of a policy may come with the next run after each one that a fault met and that gave back a change of this policy', () => {
    type Failed = { readonly group?: string; readonly again?: readonly string[]; readonly trouble?: 'fault' };
    const told = (atS: number, { group = 'web', again = ['m-1'], ...met }: Failed) =>
      details((script) => {
        script.policy(100, 2, policy);
        const of = { invocation: 'i-b', function: 'holdfast-accept-policy' };
        script.at(150, { kind: 'delivered', ...of, message: 'm-1', told: { about: 'policy', group }, happenedAtMs: 99_000 });
        const call = { service: 'dynamodb', operation: 'GetItem', askedAtMs: 150_000, outcome: 'ThrottlingException', applied: false } as const;
        script.at(150, { kind: 'called', ...of, ...call, isMutating: false, ...met });
        script.at(151, { kind: 'invocation-ended', ...of, startedAtMs: 150_000, timeoutMs: 30_000, again, injected: true });
        script.at(atS, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 2 } });
      });
    const missing = ['Holdfast Policy Accepted of web was not sent to the bus'];
    expect(told(239, { trouble: 'fault' })).toEqual([]);
    expect(told(241, { trouble: 'fault' })).toEqual(missing);
    expect(told(161, { trouble: 'fault', again: [] })).toEqual(missing);
    expect(told(161, { trouble: 'fault', group: 'api' })).toEqual(missing);
    expect(told(161, {})).toEqual(missing);
  });

  it('report nothing of a drain whose members another drain took over, although that one never ran', () => {
    const drained = (takenOverAtS?: number) =>
      details((script) => {
        const name = (second: number, drain: string) =>
          script.at(second, {
            kind: 'item-written',
            table: 'state',
            group: 'web',
            item: 'swap#i-1',
            bytes: 500,
            by: react('i-a'),
            swap: { reason: 'scale-in', state: 'leaving', drain },
          });
        script.at(100, { kind: 'announced', detailType: 'Holdfast Swap Started', detail: { group: 'web', reason: 'scale-in', instances: ['i-1'] } });
        name(100, 'd-1');
        script.at(101, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-1'], status: 'started' });
        if (takenOverAtS !== undefined) name(takenOverAtS, 'd-2');
        script.at(200, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-1'], status: 'succeeded' });
      });
    const missing = ['the end of drain d-1 was not sent to the bus'];
    expect(drained()).toEqual(missing);
    expect(drained(110)).toEqual([]);
    expect(drained(201)).toEqual(missing);
  });

  it('report nothing of a drain whose members were put back into service before it began', () => {
    const ends = (state: string, put: { readonly backAtS?: number; readonly item?: string } = {}) =>
      details((script) => {
        const about = { kind: 'item-written', table: 'state', group: 'web', bytes: 500, by: react('i-a') } as const;
        script.at(100, { kind: 'announced', detailType: 'Holdfast Swap Started', detail: { group: 'web', reason: 'scale-in', instances: ['i-1'] } });
        script.at(100, { ...about, item: 'swap#i-1', swap: { reason: 'scale-in', state, drain: 'd-1' } });
        script.at(101, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-1'], status: 'started' });
        if (put.backAtS !== undefined) script.at(put.backAtS, { ...about, item: put.item ?? 'past#i-1' });
        script.at(200, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-1'], status: 'succeeded' });
      });
    const missing = ['the end of drain d-1 was not sent to the bus'];
    expect(ends('leaving', { backAtS: 150 })).toEqual([]);
    expect(ends('leaving')).toEqual(missing);
    expect(ends('leaving', { backAtS: 201 })).toEqual(missing);
    expect(ends('leaving', { backAtS: 150, item: 'past#i-2' })).toEqual(missing);
    // It had begun to drain, so there is something to say.
    expect(ends('draining', { backAtS: 150 })).toEqual(missing);
  });

  it('report the end of a drain also where a later drain took its members again', () => {
    const missing = details((script) => {
      for (const [beganS, drain] of [
        [100, 'd-1'],
        [300, 'd-2'],
      ] as const) {
        const swap = { reason: 'interruption', state: 'leaving', drain };
        script.at(beganS, { kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by: react('i-a'), swap });
        for (const [second, status] of [
          [beganS + 1, 'started'],
          [beganS + 60, 'succeeded'],
        ] as const)
          script.at(second, { kind: 'drain', drain, group: 'web', instances: ['i-1'], status });
      }
    }).filter((text) => text.startsWith('the end of drain'));
    expect(missing).toEqual(['the end of drain d-1 was not sent to the bus', 'the end of drain d-2 was not sent to the bus']);
  });

  it('may be left to the look that goes on with launches when one may have been cut, and that look must report it', () => {
    const cut = (endS: number, next: { readonly asks?: number; readonly tells?: number; readonly began?: number } = {}) =>
      details((script) => {
        script.end(90, 'i-1');
        script.react(100, endS, 'i-a', []);
        script.refuseCapacity(102, 'i-a');
        script.react(next.began ?? endS + 1, endS + 12, 'i-b', []);
        if (next.asks !== undefined)
          script.at(next.asks, {
            kind: 'called',
            invocation: 'i-b',
            function: 'react',
            service: 'ec2',
            operation: 'CreateFleet',
            askedAtMs: 1_000 * next.asks,
            outcome: 'ok',
            applied: true,
            isMutating: true,
            launch: { group: 'web', count: 1 },
          });
        if (next.tells !== undefined)
          script.at(next.tells, { kind: 'announced', detailType: 'Holdfast Capacity Exhausted', detail: { group: 'web', unplaced: 1 } });
      });
    expect(cut(106)).toHaveLength(1);
    expect(cut(106, { asks: 110 })).toEqual([]);
    expect(cut(106, { tells: 117 })).toEqual([]);
    expect(cut(106, { tells: 130 })).toHaveLength(1);
    expect(cut(104, { asks: 110 })).toHaveLength(1);
    // Another look overtook it, which had begun before its end.
    expect(cut(104, { asks: 106, began: 103 })).toEqual([]);
    expect(cut(104, { asks: 106, began: 105 })).toHaveLength(1);
    expect(cut(104, { asks: 120, began: 103 })).toHaveLength(1);
    expect(cut(104, { tells: 115 })).toHaveLength(1);
  });
});
