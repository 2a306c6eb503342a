import { describe, expect, it } from 'vitest';
import { metricsAreTrue } from '../../sandbox/judge/rules/said/metrics.ts';
import type { Told } from '../../sandbox/judge/world/message.ts';
import { details } from './details.ts';
import { react, type Script } from './histories.ts';

type Counted = Readonly<Record<string, number>>;
type Change = { readonly injected?: boolean; readonly error?: { readonly type: string; readonly message: string }; readonly function?: string };

/** One invocation at 100 s that does this, is told this, and counts this. */
const found = (counted: Counted | undefined, deeds: (script: Script) => unknown = () => undefined, told: readonly Told[] = [], change: Change = {}) =>
  details(metricsAreTrue, (script) => {
    script.policy(0, 1);
    const of = { invocation: 'i-a', function: change.function ?? 'react' };
    for (const [index, one] of told.entries()) script.at(100, { kind: 'delivered', ...of, message: `m-${index}`, told: one, happenedAtMs: 99_000 });
    deeds(script);
    const ended = { kind: 'invocation-ended', ...of, startedAtMs: 100_000, timeoutMs: 30_000, again: [], injected: false } as const;
    script.at(110, { ...ended, ...change, ...(counted !== undefined && { counted }) });
  });

const calls = (
  operation: string,
  more: { readonly outcome?: string; readonly launch?: { readonly count: number; readonly token?: string } } = {},
  invocation = 'i-a',
) =>
  ({
    kind: 'called',
    invocation,
    function: 'react',
    service: 'ec2',
    operation,
    askedAtMs: 100_000,
    outcome: 'ok',
    applied: true,
    isMutating: true,
    ...more,
  }) as const;

const tells = (detailType: string, detail: Readonly<Record<string, unknown>>) =>
  ({ kind: 'announced', detailType, detail, invocation: 'i-a' }) as const;

const launches = (script: Script, token = 't-1'): void => {
  script.launch(102, 'i-1', { by: react('i-a') });
  script.launch(102, 'i-2', { by: react('i-a') });
  script.at(102, calls('CreateFleet', { launch: { count: 2, token } }));
};

describe('metrics count what happened', () => {
  it('launched instances: breaks for another number, and says nothing of a repeat or of a launch without a good answer', () => {
    expect(found({ Launched: 2 }, launches)).toEqual([]);
    expect(found({ Launched: 1 }, launches)).toEqual(['react: Launched counts 1, expected 2']);
    expect(found({}, launches)).toEqual(['react: Launched counts 0, expected 2']);
    const earlier = (script: Script) => script.at(50, calls('CreateFleet', { launch: { count: 2, token: 't-1' } }, 'i-before'));
    expect(
      found({ Launched: 2 }, (script) => [earlier(script), script.at(102, calls('CreateFleet', { launch: { count: 2, token: 't-1' } }))]),
    ).toEqual([]);
    expect(found({}, (script) => [launches(script, 't-2'), script.at(103, calls('CreateFleet', { outcome: 'lost', launch: { count: 1 } }))])).toEqual(
      [],
    );
  });

  it('refusals: breaks where one is left out, except beside a whole grant', () => {
    const refused = (script: Script) => [script.at(102, calls('CreateFleet')), script.refuseCapacity(102, 'i-a')];
    expect(found({ Refused: 1 }, refused)).toEqual([]);
    expect(found({}, refused)).toEqual(['react: Refused counts 0, expected 1']);
    const beside = {
      kind: 'refused',
      invocation: 'i-a',
      group: 'web',
      instanceType: 't',
      zone: 'z-a',
      market: 'spot',
      code: 'x',
      isBesideWhole: true,
    } as const;
    expect(found({}, (script) => script.at(102, calls('CreateFleet'), beside))).toEqual([]);
  });

  it('refusals: one response that refuses an offering for two subnets counts once; other offerings, responses and requests count again', () => {
    const place = { group: 'web', instanceType: 't', zone: 'z-a', market: 'spot', code: 'x', token: 't-1' } as const;
    const first = { kind: 'refused', invocation: 'i-a', ...place, subnet: 's-1' } as const;
    const beside = { ...first, subnet: 's-2' };
    const once = (script: Script) => script.at(102, calls('CreateFleet'), first, beside);
    expect(found({ Refused: 1 }, once)).toEqual([]);
    expect(found({ Refused: 2 }, once)).toEqual(['react: Refused counts 2, expected 1']);
    for (const other of [{ ...beside, zone: 'z-b' }, { ...beside, market: 'on-demand' } as const, { ...beside, token: 't-2' }])
      expect(found({ Refused: 1 }, (script) => script.at(102, calls('CreateFleet'), first, other))).toEqual(['react: Refused counts 1, expected 2']);
    const later = (script: Script) => [once(script), script.at(103, calls('CreateFleet'), beside)];
    expect(found({ Refused: 1 }, later)).toEqual(['react: Refused counts 1, expected 2']);
  });

  it.each([
    ['Interruptions', 'Holdfast Swap Started', { reason: 'interruption', instances: ['i-1', 'i-2'] }, 2],
    ['Unplaced', 'Holdfast Capacity Exhausted', { unplaced: 3 }, 3],
    ['DrainsLate', 'Holdfast Drain Finished', { part: 1, counts: { shortfalls: 2 } }, 2],
    ['BootsFailed', 'Holdfast Boots Failed', { count: 4 }, 4],
    ['BootsFailed', 'Holdfast Members Given Up', { count: 1 }, 1],
    ['BreakersOpened', 'Holdfast Breaker Opened', {}, 1],
    ['PoliciesAccepted', 'Holdfast Policy Accepted', { version: 1 }, 1],
  ])('%s as %s tells them', (metric, type, detail, count) => {
    const told = (script: Script) => script.at(102, calls('PutEvents'), tells(type, detail));
    expect(found({ [metric]: count }, told)).toEqual([]);
    expect(found({ [metric]: count + 1 }, told)).toEqual([`react: ${metric} counts ${count + 1}, expected ${count}`]);
    expect(found({}, told)).toEqual([`react: ${metric} counts 0, expected ${count}`]);
  });

  it('swaps for another reason are no interruptions, and a further part of an event counts nothing', () => {
    const other = tells('Holdfast Swap Started', { reason: 'scale-in', instances: ['i-1'] });
    const part = tells('Holdfast Drain Finished', { part: 2, counts: { shortfalls: 2 } });
    expect(found({}, (script) => script.at(102, calls('PutEvents'), other, part))).toEqual([]);
  });

  it('policies are not judged where an earlier run was cut short: its event may come with a later one', () => {
    const told = (script: Script) => script.at(102, calls('PutEvents'), tells('Holdfast Policy Accepted', { version: 1 }));
    const cut = { kind: 'invocation-ended', invocation: 'i-p', function: 'accept-policy', startedAtMs: 1, timeoutMs: 30_000, again: [] } as const;
    expect(found({}, (script) => [told(script), script.at(90, { ...cut, injected: true })])).toEqual([]);
    expect(found({}, (script) => [told(script), script.at(90, { ...cut, injected: false })])).not.toEqual([]);
  });

  it('drains: no more than were requested', () => {
    const starts = (script: Script) => script.at(102, { ...calls('StartExecution'), starts: 'd-1' }, { ...calls('StartExecution'), starts: 'd-1' });
    expect(found({ DrainsStarted: 1 }, starts)).toEqual([]);
    expect(found({ DrainsStarted: 2 }, starts)).toEqual(['react: DrainsStarted counts 2, expected 0 to 1']);
  });

  it('trouble: breaks where every call was answered well', () => {
    const [fine, bad] = [calls('DescribeInstances'), calls('DescribeInstances', { outcome: 'RequestLimitExceeded' })];
    expect(found({ ReadsMissed: 1 }, (script) => script.at(102, fine))).toEqual(['react: ReadsMissed counts 1, and every call was answered']);
    expect(found({ ReadsMissed: 1 }, (script) => script.at(102, fine, bad))).toEqual([]);
    expect(found({ Throttled: 1 }, (script) => script.at(102, calls('CreateFleet')))).toEqual([]);
    const kept = (by: string) => (script: Script) => script.at(102, fine, { kind: 'end-refused', instance: 'i-1', by: react(by) });
    expect(found({ ActionsFailed: 1, Problems: 1 }, kept('i-a'))).toEqual([]);
    expect(found({ ActionsFailed: 1, Problems: 1 }, kept('i-b'))).toEqual(['react: ActionsFailed counts 1, and every call was answered']);
  });

  it('signals: each message, each instance of an announcement, and ticks or others if need be', () => {
    const told: readonly Told[] = [
      { about: 'warning', instance: 'i-1' },
      { about: 'maintenance', instances: ['i-1', 'i-2'] },
      { about: 'tick', groups: ['web'] },
      { about: 'other' },
    ];
    expect([3, 4, 5].flatMap((signals) => found({ Signals: signals }, undefined, told))).toEqual([]);
    expect(found({ Signals: 2 }, undefined, told)).toEqual(['react: Signals counts 2, expected 3 to 5']);
    expect(found({ Signals: 6 }, undefined, told)).toEqual(['react: Signals counts 6, expected 3 to 5']);
    expect(found({}, undefined, told, { function: 'accept-policy' })).toEqual([]);
  });

  it('late signals: those that the queue had held for more than a minute, and no ticks', () => {
    const late = (count: number, heldS: number, told: Told = { about: 'warning', instance: 'i-1' }) =>
      details(metricsAreTrue, (script) => {
        script.policy(0, 1);
        const of = { invocation: 'i-a', function: 'react' };
        script.at(200, { kind: 'invocation-began', ...of });
        script.at(200, { kind: 'delivered', ...of, message: 'm-1', told, happenedAtMs: 1_000, sentAtMs: 200_000 - heldS * 1_000 });
        const counted = { Signals: told.about === 'tick' ? 0 : 1, SignalsLate: count };
        script.at(210, { kind: 'invocation-ended', ...of, startedAtMs: 200_000, timeoutMs: 30_000, again: [], injected: false, counted });
      });
    expect([late(1, 90), late(0, 20), late(0, 90, { about: 'tick', groups: ['web'] }), late(0, 61), late(1, 61)].flat()).toEqual([]);
    expect(late(0, 90)).toEqual(['react: SignalsLate counts 0, expected 1']);
    expect(late(1, 20)).toEqual(['react: SignalsLate counts 1, expected 0']);
    expect(late(1, 90, { about: 'tick', groups: ['web'] })).toEqual(['react: SignalsLate counts 1, expected 0']);
  });

  it('unreadable messages: no more than it received', () => {
    const garbage: Told = { about: 'warning', instance: 'undefined' };
    expect(found({ PoisonMessages: 1, Problems: 1 }, undefined, [garbage])).toEqual([]);
    const warning: Told = { about: 'warning', instance: 'i-1' };
    expect(found({ Signals: 1, PoisonMessages: 1, Problems: 1 }, undefined, [warning])).toEqual([
      'react: PoisonMessages counts 1, expected 0 at most',
    ]);
  });

  it('problems: the sum of their kinds', () => {
    expect(found({ AsgsGone: 2, Problems: 2 })).toEqual([]);
    expect(found({ AsgsGone: 2 })).toEqual(['react: Problems counts 0, expected 2']);
  });

  it('says nothing of a run that a fault met, that failed, or whose metrics are not known', () => {
    const wrong = { Launched: 7 };
    expect(found(wrong, undefined, [], { injected: true })).toEqual([]);
    expect(found(wrong, undefined, [], { error: { type: 'Error', message: 'no' } })).toEqual([]);
    expect(found(undefined, launches)).toEqual([]);
    expect(found(wrong)).toEqual(['react: Launched counts 7, expected 0']);
  });

  it('the time until a replacement was requested: breaks where it begins with a later warning than the oldest one', () => {
    const claims =
      (instances: readonly string[], others: readonly string[] = []) =>
      (script: Script) => {
        for (const [index, instance] of ['i-1', 'i-2'].entries()) {
          script.member(instance);
          script.warn(40 + 50 * index, instance);
        }
        const told = (group: string, all: readonly string[]) => tells('Holdfast Swap Started', { group, reason: 'interruption', instances: all });
        script.at(100, { kind: 'invocation-began', invocation: 'i-a', function: 'react' });
        script.at(101, calls('DescribeInstances'));
        script.at(103, told('web', instances));
        if (others.length > 0) script.at(103, told('api', others));
      };
    const waited = (ms: number, deeds: (script: Script) => unknown) => found({ ReplacementRequestedMs: ms, Interruptions: 2 }, deeds);
    const both = ['i-1', 'i-2'];
    expect(waited(62_000, claims(both))).toEqual([]);
    expect(waited(12_000, claims(both))).toEqual(['react: ReplacementRequestedMs says 12000, expected 54000 at least']);
    // EC2 repeats the warning of i-1 with a later time, and this function or another one receives it.
    const repeated = (invocation: string) => (script: Script) => {
      claims(both)(script);
      const of = { invocation, function: 'react', message: 'm-1' };
      script.at(100, { kind: 'delivered', ...of, told: { about: 'warning', instance: 'i-1' }, happenedAtMs: 92_000 });
    };
    const waits = (invocation: string) => waited(12_000, repeated(invocation)).filter((text) => text.includes('ReplacementRequestedMs'));
    expect([waits('i-a').length, waits('i-b').length]).toEqual([0, 1]);
    // It is the later one alone that this function claims, or each group has one of them.
    expect(found({ ReplacementRequestedMs: 12_000, Interruptions: 1 }, claims(['i-2']))).toEqual([]);
    expect(waited(12_000, claims(['i-1'], ['i-2']))).toEqual([]);
  });
});
