import { describe, expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { boundsAreTrue } from '../../sandbox/judge/rules/said/bounds-said.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script, twoServe, user } from './histories.ts';

type Round = { readonly remarks?: readonly object[]; readonly rejected?: readonly object[]; readonly leftToGroups?: readonly string[] };

/** What is false in a decision whose function looked at 100. */
const said = (
  round: Round,
  write: (script: Script) => void = () => undefined,
  changes: Partial<History> = {},
  outcome: string | null = 'carried-out',
): readonly string[] =>
  details(
    boundsAreTrue,
    (script) => {
      twoServe(script);
      write(script);
      script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-a') });
    },
    {
      stored: {
        ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
        decisions: [
          { id: 'd-1', group: 'web', atMs: 100_000, view: { nowMs: 100_000 }, ...(outcome && { outcome: { code: outcome } }), rounds: [round] },
        ],
      },
      ...changes,
    },
  );

const dies = (script: Script, instance: string): void => {
  script.launch(80, instance, { by: react('of-0') });
  script.at(82, { kind: 'ending', instance, by: { kind: 'script' }, code: 'Client.InternalError' });
};

const tooMany = ['decision d-1 says that too many instances ended early'];
const overLimit = ['decision d-1 says that its launches are at their limit'];
const deathsBounded = { remarks: [{ code: 'deaths-bounded', count: 1 }] };
const launchesBounded = { remarks: [{ code: 'launches-bounded', count: 1, untilMs: 110_000 }] };

/** A group of two that lacks as many as it is larger, and of which so many instances ended early. */
const lacks = (script: Script, lack: number, dead: number): void => {
  script.desired(50, 2 + lack);
  for (let index = 0; index < dead; index += 1) dies(script, `i-dead-${index}`);
};

describe('ends hold launches back', () => {
  it('once all that is missing would make more than ten for each', () => {
    const died = (dead: number) => (script: Script) => lacks(script, 2, dead);
    expect(said(deathsBounded, died(19))).toEqual([]);
    expect(said(deathsBounded, died(18))).toEqual(tooMany);
  });

  it('for a member less, where one ended and the look need not show that', () => {
    const ends =
      (second: number, told: readonly string[] = []) =>
      (script: Script) => {
        lacks(script, 2, 10);
        script.member('i-3');
        script.react(
          100,
          103,
          'of-a',
          told.map((instance) => ({ about: 'state', instance, state: 'shutting-down' })),
        );
        script.end(second, 'i-3', { kind: 'script' });
      };
    expect(said(deathsBounded, ends(99.5))).toEqual([]);
    expect(said(deathsBounded, ends(98))).toEqual(tooMany);
    expect(said(deathsBounded, ends(99.5, ['i-3']))).toEqual(tooMany);
  });

  it('where the one that need not show as ended would have been the tenth, only if it shows', () => {
    const tenth = (lack: number) => (script: Script) => {
      lacks(script, lack, 9);
      script.launch(80, 'i-tenth', { by: react('of-0') });
      script.at(99.5, { kind: 'ending', instance: 'i-tenth', by: { kind: 'script' }, code: 'Client.InternalError' });
    };
    expect(said(deathsBounded, tenth(1))).toEqual([]);
    expect(said(deathsBounded, tenth(2))).toEqual(tooMany);
  });

  it('for those that nobody has requested yet', () => {
    const asks = (call: { readonly until: number; readonly outcome?: string } | undefined) => (script: Script) => {
      lacks(script, 2, 10);
      const request = { pool: 'spot-a', count: 1 };
      script.at(90, { kind: 'item-written', table: 'state', group: 'web', item: 'request#r-1', bytes: 500, by: react('of-b'), request });
      if (call === undefined) return;
      script.at(call.until, {
        ...{ kind: 'called', invocation: 'of-b', function: 'react', service: 'ec2', operation: 'CreateFleet', askedAtMs: 91_000, applied: true },
        ...{ isMutating: true, outcome: call.outcome ?? 'ok', launch: { group: 'web', pool: 'spot-a', count: 1, token: 'r-1' } },
      });
    };
    expect(said(deathsBounded, asks({ until: 105 }))).toEqual([]);
    expect(said(deathsBounded, asks({ until: 95 }))).toEqual(tooMany);
    expect(said(deathsBounded, asks({ until: 95, outcome: 'lost' }))).toEqual(tooMany);
    expect(said(deathsBounded, asks(undefined))).toEqual(tooMany);
  });

  it('for those that decisions have not left to their Auto Scaling group', () => {
    const ends = (asg?: string) => (script: Script) => {
      script.policy(0, 1, { ...policy, asg: 'web-asg' });
      script.at(2, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: asg === undefined ? 0 : 1, suspended: [], by: { kind: 'user' } });
      lacks(script, 2, 10);
      script.member('i-3', { by: { kind: 'asg', asg: 'web-asg', why: 'size' }, ...(asg !== undefined && { asg }) });
      script.claim(40, 'i-3', 'of-0');
      script.end(60, 'i-3');
    };
    const leaving = { ...deathsBounded, leftToGroups: ['i-3'] };
    expect(said(leaving, ends('web-asg'))).toEqual([]);
    expect(said(deathsBounded, ends('web-asg'))).toEqual(tooMany);
    // One that no group holds is replaced by none.
    expect(said(leaving, ends())).toEqual(tooMany);
  });

  it('for those that are warned, while nothing has told the function that', () => {
    const warned =
      (how: { readonly heardBy?: string; readonly claimed?: boolean } = {}) =>
      (script: Script) => {
        lacks(script, 2, 10);
        script.member('i-3');
        script.warn(99, 'i-3');
        if (how.heardBy !== undefined) script.react(99.5, 103, how.heardBy, [{ about: 'warning', instance: 'i-3' }]);
        if (how.claimed) script.claim(99.5, 'i-3', 'of-b');
      };
    expect(said(deathsBounded, warned())).toEqual([]);
    expect(said(deathsBounded, warned({ heardBy: 'of-b' }))).toEqual([]);
    expect(said(deathsBounded, warned({ heardBy: 'of-a' }))).toEqual(tooMany);
    expect(said(deathsBounded, warned({ claimed: true }))).toEqual(tooMany);
  });

  it('for those that an Auto Scaling group is about to launch', () => {
    const lacking =
      (how: { readonly sinceS?: number; readonly suspended?: readonly string[]; readonly toldS?: number } = {}) =>
      (script: Script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        const asg = { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, by: { kind: 'user' } } as const;
        script.at(-200, { ...asg, desired: 0, suspended: how.suspended ?? [] });
        script.at(how.sinceS ?? 95, { ...asg, desired: 1, suspended: how.suspended ?? [] });
        lacks(script, 2, 10);
        const told = { about: 'launch-unsuccessful', asg: 'web-asg' } as const;
        if (how.toldS !== undefined) script.react(how.toldS, how.toldS + 1, 'of-b', [told]);
      };
    expect(said(deathsBounded, lacking())).toEqual([]);
    expect(said(deathsBounded, lacking({ suspended: ['Launch'] }))).toEqual(tooMany);
    // A message told that the group could not launch. One about an earlier gap says nothing of this one.
    expect(said(deathsBounded, lacking({ toldS: 97 }))).toEqual(tooMany);
    expect(said(deathsBounded, lacking({ toldS: 60 }))).toEqual([]);
    // Holdfast waits for 90 s, from the first look that can show the gap.
    expect(said(deathsBounded, lacking({ sinceS: -20 }))).toEqual([]);
    expect(said(deathsBounded, lacking({ sinceS: -100 }))).toEqual(tooMany);
  });

  it('counts a requested instance once', () => {
    const launchedSince = (script: Script) => {
      lacks(script, 3, 10);
      const request = { pool: 'spot-a', count: 1 };
      script.at(90, { kind: 'item-written', table: 'state', group: 'web', item: 'request#r-i-3', bytes: 500, by: react('of-b'), request });
      script.launch(95, 'i-3', { by: react('of-b') });
      script.at(105, {
        ...{ kind: 'called', invocation: 'of-b', function: 'react', service: 'ec2', operation: 'CreateFleet', askedAtMs: 91_000, applied: true },
        ...{ isMutating: true, outcome: 'ok', launch: { group: 'web', pool: 'spot-a', count: 1, token: 'r-i-3' } },
      });
    };
    expect(said(deathsBounded, launchedSince)).toEqual(tooMany);
  });
});

describe('the limit of launches holds back', () => {
  const limited = (atMost: number, maxSurge: number) => ({
    ...policy,
    launches: { atMost, within: '10m' },
    swap: { order: 'launch-first', maxSurge },
  });

  it('what is launched ahead for swaps that wait, within the surge', () => {
    const waits = (maxSurge: number, claimed: readonly string[]) => (script: Script) => {
      script.policy(0, 1, limited(3, maxSurge));
      for (const instance of ['i-1', 'i-2']) script.advise(90, instance);
      for (const instance of claimed) script.claim(91, instance, 'of-0', 'waiting');
    };
    expect(said(launchesBounded, waits(2, ['i-1', 'i-2']))).toEqual([]);
    expect(said(launchesBounded, waits(1, ['i-1', 'i-2']))).toEqual(overLimit);
    expect(said(launchesBounded, waits(2, ['i-1']))).toEqual(overLimit);
  });

  it('what an Auto Scaling group launched by itself, only until a describe must show it', () => {
    const launchedS = (second: number) => (script: Script) => {
      script.policy(0, 1, { ...limited(4, 1), asg: 'web-asg' });
      script.desired(50, 5);
      script.launch(second, 'i-3', { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
    };
    expect(said(launchesBounded, launchedS(99.5))).toEqual([]);
    expect(said(launchesBounded, launchedS(90))).toEqual(overLimit);
  });

  it('what an alarm would add, only where the decision was not carried out', () => {
    // The alarm makes the size four: two run, and two are missing.
    const alarm = (name: string, atMost: number) => (script: Script) => {
      script.policy(0, 1, limited(atMost, 1));
      script.react(99, 102, 'of-a', [{ about: 'alarm', alarm: name }]);
    };
    expect(said(launchesBounded, alarm('high', 3), {}, 'not-carried-out')).toEqual([]);
    expect(said(launchesBounded, alarm('high', 3), {}, 'carried-out')).toEqual(overLimit);
    expect(said(launchesBounded, alarm('high', 4), {}, 'not-carried-out')).toEqual(overLimit);
    expect(said(launchesBounded, alarm('low', 3), {}, 'not-carried-out')).toEqual(overLimit);
  });

  it('what it held back when the decision was stored first, where the clock of its function is ahead of that', () => {
    // Both wait on advice. Another function receives the warning of one of them at 99, and its replacement does not count any more.
    const ahead = (storedS: number) => (script: Script) => {
      script.policy(0, 1, limited(3, 2));
      for (const instance of ['i-1', 'i-2']) {
        script.advise(90, instance);
        script.claim(91, instance, 'of-0', 'waiting');
      }
      script.at(storedS, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-a') });
      script.warn(98.5, 'i-1');
      script.react(99, 99.2, 'of-b', [{ about: 'warning', instance: 'i-1' }]);
    };
    expect(said(launchesBounded, ahead(98))).toEqual([]);
    expect(said(launchesBounded, ahead(99.5))).toEqual(overLimit);
  });

  it('more by one for each member that is warned, and none for one that its user had detached', () => {
    const held = { ...limited(2, 1), asg: 'web-asg' };
    const warned =
      (outS: number, how: 'detached' | 'terminating' = 'detached') =>
      (script: Script) => {
        script.policy(0, 1, held);
        script.at(40, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: user }, { kind: 'joined', instance: 'i-2', asg: 'web-asg', by: user });
        script.at(outS, { kind: 'left', instance: 'i-1', asg: 'web-asg', how, by: user });
        script.warn(59, 'i-1');
        script.react(60, 62, 'of-0', [{ about: 'warning', instance: 'i-1' }]);
      };
    expect(said(launchesBounded, warned(50))).toEqual([]);
    // A look after the warning does not find it any more.
    expect(said(launchesBounded, warned(61))).toEqual([]);
    expect(said(launchesBounded, warned(95))).toEqual(overLimit);
    expect(said(launchesBounded, warned(50, 'terminating'))).toEqual(overLimit);
  });

  it('no more for a warned member whose function died before it stored the warning', () => {
    const warned = (diesS: number | undefined, storedS?: number) => (script: Script) => {
      script.policy(0, 1, limited(2, 1));
      script.warn(59, 'i-1');
      const began = { kind: 'invocation-began', invocation: 'of-0', function: 'react' } as const;
      const told = { about: 'warning', instance: 'i-1' } as const;
      script.at(60, began, { ...began, kind: 'delivered', message: 'm-0', told, happenedAtMs: 59_000 });
      if (storedS !== undefined) script.desired(storedS, 2, 1, react('of-0'));
      const ended = { kind: 'invocation-ended', invocation: 'of-0', function: 'react', startedAtMs: 60_000, timeoutMs: 30_000 } as const;
      if (diesS === undefined) script.at(62, { ...ended, again: [], injected: false });
      else script.at(diesS, { ...ended, again: ['m-0'], injected: true, error: { type: 'Runtime.ExitError', message: '' } });
    };
    expect(said(launchesBounded, warned(61))).toEqual([]);
    expect(said(launchesBounded, warned(undefined))).toEqual(overLimit);
    expect(said(launchesBounded, warned(62, 61))).toEqual(overLimit);
    // It dies later than the decision.
    expect(said(launchesBounded, warned(103))).toEqual(overLimit);
  });

  it('what replaces members that leave', () => {
    const leave = (instances: readonly string[]) => (script: Script) => {
      script.policy(0, 1, limited(3, 1));
      for (const instance of instances) {
        script.claim(90, instance, 'of-0');
        script.takeOut(91, instance);
      }
    };
    expect(said(launchesBounded, leave(['i-1', 'i-2']))).toEqual([]);
    expect(said(launchesBounded, leave(['i-1']))).toEqual(overLimit);
  });
});

describe('what holds launches back is true', () => {
  it('is the limit of launches, once the group has launched as many', () => {
    const within = (atMost: number) => (script: Script) => script.policy(0, 1, { ...policy, launches: { atMost, within: '10m' } });
    expect(said(launchesBounded, within(2))).toEqual([]);
    expect(said(launchesBounded, within(20))).toEqual(overLimit);
  });
  it('is the limit of launches until the first launch counts no more, and not for longer', () => {
    const launched =
      (ended: { readonly injected: boolean } = { injected: false }) =>
      (script: Script) => {
        script.policy(0, 1, { ...policy, launches: { atMost: 2, within: '10m' } });
        const began = { kind: 'invocation-began', invocation: 'of-0', function: 'react' } as const;
        script.at(40, began);
        script.launch(42, 'i-3', { by: react('of-0'), askedS: 41 });
        script.at(43, {
          ...{ kind: 'called', invocation: 'of-0', function: 'react', service: 'ec2', operation: 'CreateFleet', outcome: 'ok' },
          ...{ askedAtMs: 41_000, applied: true, isMutating: true, launch: { group: 'web', count: 1 } },
        });
        const end = { kind: 'invocation-ended', invocation: 'of-0', function: 'react', startedAtMs: 40_000, timeoutMs: 30_000, again: [] } as const;
        script.at(44, { ...end, ...ended, ...(ended.injected && { error: { type: 'Runtime.ExitError', message: '' } }) });
      };
    const until = (second: number) => ({ remarks: [{ code: 'launches-bounded', count: 1, untilMs: 1_000 * second }] });
    const late = ['decision d-1 says that its first launch counts for longer than it does'];
    // It counts for ten minutes, and with others of the same twenty seconds for as long.
    expect(said(until(643), launched())).toEqual([]);
    expect(said(until(663), launched())).toEqual([]);
    expect(said(until(760), launched())).toEqual(late);
    // Its function may have died before it stored the response.
    expect(said(until(760), launched({ injected: true }))).toEqual([]);
  });
  it('is the limit of launches, also by a launch before a policy whose response came when a look had followed it', () => {
    const answered = (second: number) => (script: Script) => {
      script.launch(91, 'i-3', { by: react('of-0'), askedS: 89 });
      script.at(second, {
        ...{ kind: 'called', invocation: 'of-0', function: 'react', service: 'ec2', operation: 'CreateFleet', outcome: 'ok' },
        ...{ askedAtMs: 89_000, applied: true, isMutating: true, launch: { group: 'web', count: 1 } },
      });
      script.policy(90, 2, { ...policy, launches: { atMost: 1, within: '10m' } });
      script.desired(93, 2, 2);
    };
    expect(said(launchesBounded, answered(95))).toEqual([]);
    expect(said(launchesBounded, answered(92))).toEqual(overLimit);
  });
  it('is ten instances that ended early for each missing member', () => {
    const died = (count: number) => (script: Script) => lacks(script, 1, count);
    expect(said(deathsBounded, died(10))).toEqual([]);
    expect(said(deathsBounded, died(9))).toEqual(tooMany);
  });
  it('is a rest of a pool whose instances ended', () => {
    const rests = (untilSecond: number) => ({
      rejected: [{ code: 'boots-failed', pool: 'spot-a', awsCode: 'Client.InternalError', untilMs: 1_000 * untilSecond }],
    });
    const one = (script: Script) => dies(script, 'i-dead');
    const text = ['decision d-1 says that spot-a rests after failed boots, and it does not, or not for so long'];
    expect(said(rests(150), one)).toEqual([]);
    // A function that looked before the policy was written still knows the rest.
    const rewritten = (script: Script) => {
      one(script);
      script.policy(101, 2);
    };
    expect(said(rests(150), rewritten)).toEqual([]);
    expect(said(rests(900), one)).toEqual(text);
    expect(said(rests(150))).toEqual(text);
  });
  it('is a breaker that an event said to be open until then', () => {
    const open = { rejected: [{ code: 'breaker', pool: 'spot-a', breaker: 'spot', is: 'open', untilMs: 400_000 }] };
    const told = (untilMs: number) => (script: Script) =>
      script.at(99, { kind: 'announced', detailType: 'Holdfast Breaker Opened', detail: { group: 'web', breaker: 'spot', untilMs } });
    const text = ['decision d-1 says that the breaker of spot is open, which no event told'];
    expect(said(open, told(400_000))).toEqual([]);
    expect(said(open, told(300_000))).toEqual(text);
    expect(said(open)).toEqual(text);
    expect(said(open, undefined, {}, 'not-carried-out')).toEqual([]);
    // Its function ended before it wrote the state.
    const writes = (invocation: string) => (script: Script) => script.desired(101, 2, 1, react(invocation));
    expect(said(open, writes('of-b'), {}, null)).toEqual([]);
    expect(said(open, writes('of-a'), {}, null)).toEqual(text);
    expect(said({ rejected: [{ ...open.rejected[0], is: 'half-open' }] })).toEqual([]);
    expect(said(open, undefined, throttled('PutEvents'))).toEqual([]);
    expect(said(open, undefined, throttled('DescribeInstances'))).toEqual(text);
  });
  it('says nothing once the state of the group was lost', () => {
    const lost = (script: Script) => script.at(90, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [] });
    expect(said({ remarks: [{ code: 'deaths-bounded', count: 1 }] }, lost)).toEqual([]);
  });
});
