import { describe, expect, it } from 'vitest';
import type { Group } from '../../core/group/group.ts';
import type { Mode } from '../../core/group/mode.ts';
import type { ActionResult, Holdings } from '../../core/ports/capacity-provider.ts';
import type { SwapChange } from '../../core/ports/state-store.ts';
import type { LifecycleHook, Swap } from '../../core/swap/swap.ts';
import type { Member } from '../../core/view/view.ts';
import { continueSwaps } from '../../functions/react/carry-out/unfinished-swaps.ts';
import type { Gathered } from '../../functions/react/look/gather.ts';
import type { Run } from '../../functions/react/run.ts';
import { group, member, noonMs, swap } from '../drain/fleet.ts';

const inMs = (seconds: number) => noonMs + seconds * 1_000;
const nothing: Holdings = { members: [], asgs: [], aside: [], ended: [], stopped: [] };

type Trouble = {
  readonly stoppedDrains?: readonly string[];
  readonly runsOn?: readonly string[];
  readonly mode?: Mode;
  /** Why no member can be put back into service. */
  readonly notBack?: 'later' | 'never';
  /** Ends that earlier looks received, and when. */
  readonly heardEnded?: Readonly<Record<string, number>>;
  /** Changes of swaps are added here. */
  readonly changes?: SwapChange[];
  /** Swaps that become history are added here. */
  readonly history?: Swap[];
  /** Completed hooks are added here. */
  readonly completed?: string[];
  /** The swap as it is stored once its member is back, and how many attempts to withdraw it fail. */
  readonly warnedAgain?: { readonly stored: Swap | undefined; readonly conflicts: number };
};

const mendedBy = async (
  swaps: readonly Swap[],
  nowMs: number,
  holdings: Partial<Holdings> = {},
  { stoppedDrains = [], runsOn = [], mode = 'act', notBack, heardEnded, changes, history, completed, warnedAgain }: Trouble = {},
) => {
  const retired: string[] = [];
  const claimed: Swap[] = [];
  const announced: unknown[] = [];
  let conflicts = warnedAgain?.conflicts ?? 0;
  let failures = 0;
  const count = (_: string, by: number): void => {
    failures += by;
  };
  const lifecycle = { complete: async (instance: string, { token }: LifecycleHook) => void completed?.push(`${instance}/${token}`) };
  const store = {
    advance: async (_swap: Swap, change: SwapChange) => {
      changes?.push(change);
      return 'done';
    },
    retire: async (swap: Swap) => {
      conflicts -= 1;
      if (conflicts >= 0) return 'conflict';
      retired.push(swap.instance);
      history?.push(swap);
      return 'done';
    },
    swapNow: async () => warnedAgain?.stored,
    claim: async (swap: Swap) => {
      claimed.push(swap);
      return { kind: 'claimed' };
    },
  };
  const announcer = { announce: async (events: readonly unknown[]) => void announced.push(...events) };
  const provider = {
    putBack: async (_group: Group, ids: readonly string[]): Promise<ActionResult> =>
      notBack === undefined
        ? { done: ids, failed: [] }
        : { done: [], failed: ids.map((instance) => ({ instance, code: 'Refused', retry: notBack })) },
  };
  const owners = { ownersOf: async () => new Map(runsOn.map((instance) => [instance, { state: 'running' }])) };
  const run = {
    group: { ...group(), mode },
    provider,
    facts: { ended: [], stopped: [], stoppedDrains },
    id: 'this one',
    ports: { clock: { now: () => nowMs }, store, owners, lifecycle, announcer, telemetry: { count } },
  } as unknown as Run;
  const gathered = {
    swaps,
    state: { desired: 1, ...(heardEnded && { ended: heardEnded }) },
    holdings: { ...nothing, ...holdings },
  } as unknown as Gathered;
  const after = await continueSwaps(run, gathered, (kind, deadlineMs) => `${kind}-${deadlineMs ?? 'none'}-new`);
  return { retired, failures, ...after, ...(warnedAgain !== undefined && { claimed, announced }) };
};
const mended = async (...args: Parameters<typeof mendedBy>): Promise<readonly Swap[]> => (await mendedBy(...args)).swaps;

const hook = { asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: inMs(600), timeoutMs: 600_000 };
const held = swap('i-1', { reason: 'hook', state: 'draining', drainStartedAtMs: noonMs, hooks: [hook] });

it('closes a swap only if the end of its instance has not been requested from an Auto Scaling group since', async () => {
  const unaskedOf = async (before: Partial<Swap>) => {
    const changes: SwapChange[] = [];
    await mendedBy([swap('i-1', before)], inMs(1), { ended: ['i-1'] }, { changes });
    return changes.map(({ unasked }) => unasked);
  };
  expect(await unaskedOf({})).toEqual([true]);
  expect(await unaskedOf({ releaseAskedAtMs: noonMs })).toEqual([undefined]);
});

describe('a swap whose instance its Auto Scaling group ends', () => {
  it('stays open as long as the group has the instance, however long that takes', async () => {
    const attended = { ...held, hooks: [{ ...hook, expiresAtMs: inMs(7_500) }] };
    const [kept] = await mended([attended], inMs(7_000), { aside: ['i-1'] });
    expect(kept).toEqual(attended);
  });
  it('is closed ten minutes later, once no describe shows the instance any more', async () => {
    const [closed] = await mended([{ ...held, hooks: [{ ...hook, expiresAtMs: inMs(7_500) }] }], inMs(7_000));
    expect(closed).toMatchObject({ state: 'gone', goneAtMs: inMs(7_000) });
  });
  it('gets no drain where its end was received before the hook was found, although a late describe shows it (53 of small)', async () => {
    const { drain: _, ...first } = { ...held, state: 'leaving' as const, hooks: [hook] };
    const drainOf = async (heardEnded: Readonly<Record<string, number>>) => {
      const [after] = await mended([first], inMs(330), { aside: ['i-1'] }, { heardEnded });
      return after?.drain;
    };
    expect(await drainOf({ 'i-1': inMs(328) })).toBeUndefined();
    expect(await drainOf({ 'i-2': inMs(328) })).toBe('hook-none-new');
  });
  it.each(['leaving', 'draining'] as const)('goes to a new drain while it is %s, when its heartbeats stay away', async (state) => {
    const [before] = await mended([{ ...held, state }], inMs(329), { aside: ['i-1'] });
    expect(before?.drain).toBe('d-1');
    const [after] = await mended([{ ...held, state }], inMs(330), { aside: ['i-1'] });
    expect(after).toMatchObject({ state, drain: 'hook-none-new', drainOrderedAtMs: inMs(330) });
  });
  it.each(['leaving', 'draining', 'drained'] as const)(
    'goes to a new drain at once while it is %s, when its own drain was stopped',
    async (state) => {
      const [after] = await mended([{ ...held, state }], inMs(20), { aside: ['i-1'] }, { stoppedDrains: ['d-1'] });
      expect(after).toMatchObject({ state, drain: 'hook-none-new', drainOrderedAtMs: inMs(20) });
      const [kept] = await mended([{ ...held, state }], inMs(20), { aside: ['i-1'] }, { stoppedDrains: ['d-2'] });
      expect(kept?.drain).toBe('d-1');
    },
  );
  it('shares the new drain only with members that end with it', async () => {
    const draining = (instance: string, busyUntilS: number) =>
      swap(instance, { reason: 'rebalance', state: 'draining', drainStartedAtMs: noonMs, busyUntilMs: inMs(busyUntilS) });
    const after = await mended([draining('i-1', 600), draining('i-2', 750)], inMs(20), {}, { stoppedDrains: ['d-1'] });
    expect(after.map(({ drain }) => drain)).toEqual([`mend-${inMs(600)}-new`, `mend-${inMs(750)}-new`]);
  });
  it('is left to its drain once that has ended', async () => {
    const [drained] = await mended([{ ...held, state: 'drained', drainedAtMs: inMs(100) }], inMs(500), { aside: ['i-1'] });
    expect(drained?.drain).toBe('d-1');
  });
});

it('completes the hooks that a drain left open for connections, once EC2 has taken or spared the instance', async () => {
  const cut: Partial<Swap> = { shortfall: { code: 'still-draining', cutAtMs: inMs(120), by: 'ec2' } };
  const completedOf = async (more: Partial<Swap>, ended: readonly string[] = ['i-1'], afterS = 121) => {
    const taken = swap('i-1', { reason: 'interruption', state: 'drained', deadlineMs: inMs(120), drainedAtMs: inMs(110), hooks: [hook], ...more });
    const completed: string[] = [];
    await mendedBy([taken], inMs(afterS), { ended, members: [member('i-1')] }, { completed });
    return completed;
  };
  expect(await completedOf(cut)).toEqual(['i-1/t']);
  expect(await completedOf({ busyUntilMs: inMs(110) })).toEqual(['i-1/t']);
  expect(await completedOf(cut, [])).toEqual([]);
  expect([await completedOf(cut, [], 129), await completedOf(cut, [], 130)]).toEqual([[], ['i-1/t']]);
  // EC2 warned again, and the hook expires before the later deadline.
  const again = { ...cut, deadlineMs: inMs(700) };
  expect([await completedOf(again, [], 594), await completedOf(again, [], 595)]).toEqual([[], ['i-1/t']]);
  expect(await completedOf({ ...cut, hooks: [{ ...hook, overAtMs: inMs(115) }] })).toEqual([]);
  // The end of its drain completed these, or will.
  expect(await completedOf({})).toEqual([]);
  expect(await completedOf({ ...cut, reason: 'hook' })).toEqual([]);
  expect(await completedOf({ ...cut, state: 'draining' })).toEqual([]);
});

describe('a swap whose instance no look shows any more', () => {
  const waiting = swap('i-1', { reason: 'rebalance', state: 'waiting' });

  it('is closed after ten minutes when EC2 does not show the instance either', async () => {
    expect(await mended([waiting], inMs(599))).toEqual([waiting]);
    expect(await mended([waiting], inMs(600))).toMatchObject([{ instance: 'i-1', state: 'gone' }]);
  });
  it('is withdrawn when the instance runs on: its user took it out of the group', async () => {
    expect(await mended([waiting], inMs(599), {}, { runsOn: ['i-1'] })).toEqual([waiting]);
    expect(await mended([waiting], inMs(600), {}, { runsOn: ['i-1'] })).toEqual([]);
  });
});

describe('a swap without a hook', () => {
  it('goes to a new drain at once when its own drain was stopped before the instance had drained', async () => {
    const warned = swap('i-1', { deadlineMs: inMs(120) });
    const drainOf = async (changes: Partial<Swap>) =>
      (await mended([{ ...warned, ...changes }], inMs(20), { members: [member('i-1')] }, { stoppedDrains: ['d-1'] }))[0]?.drain;
    expect(await drainOf({ state: 'leaving' })).toMatch(/^mend-.*-new$/);
    expect(await drainOf({ state: 'draining' })).toMatch(/^mend-.*-new$/);
    expect(await drainOf({ state: 'drained', drainedAtMs: inMs(10) })).toBe('d-1');
  });
  it('gets its first drain once its warned member runs, which an older describe showed as stopped', async () => {
    const { drain: _, ...warned } = swap('i-1', { state: 'leaving', deadlineMs: inMs(120) });
    const stopped = { ended: ['i-1'], stopped: ['i-1'], members: [member('i-2')] };
    expect(await mended([warned], inMs(2), stopped)).toEqual([warned]);
    expect(await mended([warned], inMs(2), { members: [member('i-1', { state: 'pending' })] })).toEqual([warned]);
    const [drained] = await mended([warned], inMs(8), { members: [member('i-1')] });
    expect(drained).toMatchObject({ drain: `interruption-${inMs(120)}-new`, drainOrderedAtMs: inMs(8) });
  });
  it('goes to a new drain when its own has not come to its end two minutes after it should have', async () => {
    const stuck = swap('i-1', { reason: 'scale-in', state: 'draining', drainStartedAtMs: noonMs });
    const [before] = await mended([stuck], inMs(719), { members: [member('i-1')] });
    expect(before?.drain).toBe('d-1');
    const [after] = await mended([stuck], inMs(720), { members: [member('i-1')] });
    expect(after).toMatchObject({ drain: 'mend-none-new', drainOrderedAtMs: inMs(720) });
  });
});

describe('a swap whose instance EC2 stops', () => {
  const stopped = { ended: ['i-1'], stopped: ['i-1'] };
  const taken = swap('i-1', { reason: 'interruption', state: 'drained', deadlineMs: inMs(120), drainedAtMs: inMs(60) });
  const serving = [member('i-2')];

  it('stays open while the instance is there, and is ours to end once enough serve without it', async () => {
    expect(await mended([taken], inMs(200), stopped)).toEqual([taken]);
    expect(await mended([taken], inMs(419), { ...stopped, members: serving })).toEqual([taken]);
    expect(await mended([taken], inMs(900), stopped)).toEqual([taken]);
    expect(await mended([taken], inMs(420), { ...stopped, members: serving })).toMatchObject([
      { reason: 'unwanted', drain: `mend-${inMs(120)}-new` },
    ]);
  });

  it('is closed once the instance has ended', async () => {
    expect(await mended([taken], inMs(200), { ended: ['i-1'] })).toMatchObject([{ state: 'gone' }]);
  });

  describe('and starts again', () => {
    const again = member('i-1', { launchedAtMs: inMs(400), serving: false });
    const found = (atS: number, one = again, ...others: readonly Member[]) => mendedBy([taken], inMs(atS), { members: [one, ...others] });

    it('is withdrawn as the instance is put back, while too few others serve', async () => {
      expect(await found(420)).toMatchObject({ putBack: ['i-1'], retired: ['i-1'], swaps: [] });
      // Without a target group it may serve already.
      expect(await found(420, { ...again, serving: true })).toMatchObject({ putBack: ['i-1'], retired: ['i-1'] });
    });

    it('waits until the instance runs, and is not ended before', async () => {
      expect(await found(900, { ...again, state: 'pending' })).toMatchObject({ retired: [], swaps: [taken] });
      expect(await mended([taken], inMs(1_020), { members: [again] }, { notBack: 'later' })).toEqual([taken]);
    });

    it('is ours to end while enough others serve', async () => {
      expect(await found(420, again, ...serving)).toMatchObject({ retired: [], swaps: [{ reason: 'unwanted' }] });
    });

    it('keeps its shortfall, because EC2 did cut its connections', async () => {
      const shortfall = { code: 'still-draining', cutAtMs: inMs(120), by: 'ec2' } as const;
      const history: Swap[] = [];
      for (const launchedAtMs of [noonMs, inMs(400)])
        await mendedBy([{ ...taken, shortfall }], inMs(420), { members: [{ ...again, launchedAtMs }] }, { history });
      expect(history.map((swap) => swap.shortfall?.code)).toEqual([undefined, 'still-draining']);
    });
  });

  it('begins its drain at once when it waits for its turn, if enough serve without the instance', async () => {
    const waiting = swap('i-1', { reason: 'maintenance', state: 'waiting' });
    const changes: SwapChange[] = [];
    expect(await mended([waiting], inMs(20), stopped)).toEqual([waiting]);
    const [begun] = (await mendedBy([waiting], inMs(20), { ...stopped, members: serving }, { changes })).swaps;
    expect(begun).toMatchObject({ state: 'leaving', drain: 'mend-none-new', drainOrderedAtMs: inMs(20) });
    expect(changes.map(({ from }) => from)).toEqual([['waiting']]);
  });

  it('is withdrawn where it waits for its turn and the instance is in a warm pool', async () => {
    const waiting = swap('i-1', { reason: 'maintenance', state: 'waiting' });
    const warm = { ...stopped, aside: ['i-1'], members: serving };
    expect(await mended([waiting], inMs(179), warm)).toEqual([waiting]);
    expect(await mendedBy([waiting], inMs(180), warm)).toMatchObject({ retired: ['i-1'], swaps: [] });
  });
});

describe('a swap whose instance EC2 announced to take, and that runs on', () => {
  const spared = swap('i-1', { reason: 'interruption', state: 'drained', deadlineMs: inMs(120), drainedAtMs: inMs(60) });
  const running = { members: [member('i-1')] };

  it('is withdrawn five minutes after its deadline, once its member is in service again', async () => {
    expect(await mendedBy([spared], inMs(419), running)).toEqual({ retired: [], failures: 0, swaps: [spared] });
    expect(await mendedBy([spared], inMs(420), running)).toEqual({ retired: ['i-1'], failures: 0, swaps: [], putBack: ['i-1'] });
  });
  it.each(['leaving', 'draining'] as const)('is withdrawn also where its drain broke off while it was %s', async (state) => {
    expect(await mendedBy([{ ...spared, state }], inMs(420), running)).toMatchObject({ retired: ['i-1'], swaps: [] });
  });
  it('stays while its member cannot be put back, and is ours to end ten minutes later', async () => {
    const before = await mendedBy([spared], inMs(1_019), running, { notBack: 'later' });
    expect(before).toEqual({ retired: [], failures: 0, swaps: [spared] });
    const after = await mendedBy([spared], inMs(1_020), running, { notBack: 'never' });
    expect(after.swaps).toMatchObject([{ reason: 'unwanted' }]);
    // A failure that a later attempt may continueSwaps is not counted.
    expect(after.failures).toBe(1);
  });
  it('leaves anew where EC2 warned it again while its member was put back into service', async () => {
    const again = { ...spared, deadlineMs: inMs(540), warnedAtMs: inMs(420) };
    const of = (stored: Swap | undefined, conflicts = 1) => mendedBy([spared], inMs(420), running, { warnedAgain: { stored, conflicts } });
    const claimed = { state: 'leaving', deadlineMs: inMs(540), warnedAtMs: inMs(420), drain: `interruption-${inMs(540)}-new`, decision: 'this one' };
    const after = await of(again);
    expect(after).toMatchObject({ retired: ['i-1'], swaps: [{ instance: 'i-1', ...claimed }], putBack: ['i-1'] });
    expect(after.claimed).toEqual(after.swaps);
    expect(after.announced).toMatchObject([{ detail: { reason: 'interruption', instances: ['i-1'], decision: 'this one' } }]);
    // A drain of the warning takes it out of service, or another look has gone on with it.
    expect(await of({ ...again, state: 'leaving' })).toMatchObject({ claimed: [], swaps: [], announced: [] });
    expect(await of(undefined)).toMatchObject({ claimed: [], swaps: [], announced: [] });
    expect(await of(again, 2)).toMatchObject({ claimed: [], swaps: [], announced: [] });
  });
  it('stays while its group does not act', async () => {
    expect(await mendedBy([spared], inMs(900), running, { mode: 'pause' })).toEqual({ retired: [], failures: 0, swaps: [spared] });
  });
  it('stays where its Auto Scaling group ends the member', async () => {
    expect((await mendedBy([{ ...spared, reason: 'hook' }], inMs(420), running)).retired).toEqual([]);
  });
});

describe('a swap whose instance has ended', () => {
  const gone = swap('i-1', { reason: 'scale-in', state: 'gone', goneAtMs: noonMs });

  it('is history ten minutes later', async () => {
    expect(await mended([gone], inMs(599))).toEqual([gone]);
    expect(await mended([gone], inMs(600))).toEqual([]);
  });
  it('is still there when its drain looks again, however long its target groups wait for connections', async () => {
    const busy = { ...gone, busyUntilMs: inMs(3_600) };
    expect(await mended([busy], inMs(4_199))).toEqual([busy]);
    expect(await mended([busy], inMs(4_200))).toEqual([]);
  });
});
