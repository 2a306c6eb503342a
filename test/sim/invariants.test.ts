import { beforeAll, describe, expect, it } from 'vitest';
import type { Swap } from '../../core/swap.ts';
import type { Evidence } from './evidence.ts';
import { checkInvariants, invariants } from './invariants.ts';
import { play } from './play.ts';
import type { Life } from './watch.ts';
import { workflows } from './workflows.ts';

let clean: Evidence;
beforeAll(async () => {
  const situation = workflows['interruption-attach']?.();
  if (situation === undefined) throw new Error('There is no such workflow.');
  clean = (await play(situation)).evidence;
});

const first = <T>(list: readonly T[]): T => list[0] as T;
const changed = <T>(list: readonly T[], change: Partial<T>, which: (one: T) => boolean = () => true): readonly T[] => {
  const index = list.findIndex(which);
  return list.map((one, position) => (position === index ? { ...one, ...change } : one));
};
const stranger: Life = { instance: 'i-x', group: 'web', launchedAtMs: 0, drains: 0 };
const surplus = (evidence: Evidence): Swap => ({ ...first(evidence.swaps), instance: 'i-x', reason: 'scale-in' });
const call = (evidence: Evidence, outcome: string) => ({ ...first(evidence.calls), service: 'ec2', operation: 'CreateFleet', outcome });

/** Evidence with one thing wrong in it, by the invariant that must see it. */
const wrongs: Readonly<Record<keyof typeof invariants, (evidence: Evidence) => Partial<Evidence>>> = {
  'launched once for each need': ({ lives }) => ({ lives: [...lives, stranger] }),
  'removed no more than asked': (evidence) => ({ swaps: [...evidence.swaps, surplus(evidence)] }),
  'ended for a reason': ({ lives }) => ({
    lives: changed(lives, { goneAtMs: 1 }, ({ group, warnedAtMs }) => group === 'web' && warnedAtMs === undefined),
  }),
  'size held at rest': () => ({ serving: { web: 5 } }),
  'Auto Scaling groups put back': ({ snapshot }) => ({
    snapshot: { ...snapshot, autoScalingGroups: changed(snapshot.autoScalingGroups, { max: 7 }, ({ name }) => name === 'web-asg') },
  }),
  'nothing left open': ({ swaps }) => ({ swaps: changed(swaps, { state: 'draining' }) }),
  'drained once, in time or said why not': ({ swaps, lives }) => ({
    swaps: swaps.map(({ drainedAtMs: _, shortfall: _said, ...swap }) => swap),
    lives: lives.map(({ drainedAtMs: _, ...life }) => life),
  }),
  'strangers untouched': () => ({ strangers: ['i-gone'] }),
  'converged in time': ({ restAtMs: _, ...rest }) => ({ ...rest, restAtMs: undefined }) as Partial<Evidence>,
  'maximum never exceeded': ({ lives }) => ({ lives: [...lives, stranger] }),
  'enough serve': ({ lives, snapshot, readyAtMs }) => ({
    lives: changed(lives, { drainingAtMs: readyAtMs + 1 }, ({ group, warnedAtMs }) => group === 'web' && warnedAtMs === undefined),
    snapshot: { ...snapshot, nowMs: snapshot.nowMs + 200_000 },
  }),
  'placed as the tree says': (evidence) => ({
    situation: { ...evidence.situation, policies: [{ group: 'web', capacity: { spread: ['spot-a', 'spot-b'] } }] },
    lives: evidence.lives.map((life) => ({ ...life, pool: 'spot-a' })),
  }),
  'everything explained': ({ lives }) => ({ lives: [...lives, { ...stranger, reservation: 'nobody-r0-0' }] }),
  'calls bounded': (evidence) => ({ calls: [...evidence.calls, ...Array.from({ length: 50 }, () => call(evidence, 'ok'))] }),
  'no storm of calls': (evidence) => ({
    calls: [...evidence.calls, ...Array.from({ length: 3_000 }, () => ({ ...call(evidence, 'Throttling'), operation: 'DescribeFleets' }))],
  }),
  'rights suffice': (evidence) => ({ calls: [...evidence.calls, call(evidence, 'UnauthorizedOperation')] }),
  'functions answer': ({ invocations }) => ({
    invocations: changed(invocations, { result: { kind: 'error', errorType: 'TypeError', errorMessage: 'x is undefined' } }),
  }),
};

describe('each invariant', () => {
  it('holds in a clean run', () => {
    expect(checkInvariants(clean)).toEqual([]);
  });
  it.each(Object.entries(wrongs))('sees when it is broken: %s', (name, wrong) => {
    const violations = checkInvariants({ ...clean, ...wrong(clean) });
    expect(violations.map(({ invariant }) => invariant)).toContain(name);
  });
  it('is tried here', () => {
    expect(Object.keys(wrongs)).toEqual(Object.keys(invariants));
  });
  it('is judged on a run that follows from its seed alone', async () => {
    const situation = workflows['interruption-attach']?.();
    const again = situation && (await play(situation)).evidence;
    const traceOf = ({ calls, lives }: Evidence) => ({ calls: calls.map(({ realMs: _, ...seen }) => seen), lives });
    expect(again && traceOf(again)).toEqual(traceOf(clean));
  });
});
