import { inParallel } from '../../aws/in-parallel.ts';
import type { GroupState, RaisedMax } from '../../core/view.ts';
import type { Facts, LeavingFact } from './facts.ts';
import type { ReactPorts } from './ports.ts';

/** How soon a maximum is tried again that could not go down yet: while drains of the group still run, and afterwards. */
const duringDrainsMs = 60_000;
const afterDrainsMs = 900_000;

/** Maximum sizes that could not be put back, because their group wants more than the old maximum now. */
const putBack = async (raised: readonly RaisedMax[], ports: ReactPorts): Promise<readonly RaisedMax[]> => {
  const left: RaisedMax[] = [];
  for (const one of raised) {
    if ((await ports.providerFor({ kind: 'attach', asg: one.asg }).restoreMax(one)) === 'not-yet') left.push(one);
  }
  return left;
};

const hooksAtOnce = 8;

/** Nobody drains an instance of a group that is gone, and its lifecycle hook must not keep it until it expires. */
const answerHooks = (leaving: readonly LeavingFact[], { lifecycle }: ReactPorts): Promise<unknown> =>
  inParallel(leaving, hooksAtOnce, async ({ instance, hook }) => (hook === undefined ? undefined : lifecycle.complete({ instance, hook })));

/** Nothing but a change of the Auto Scaling group lets a maximum go down that stayed raised, so its group is asked for again and again. */
const lookAgain = async (group: string, { raised, wakeAtMs }: GroupState, ports: ReactPorts): Promise<number> => {
  const nowMs = ports.clock.now();
  // One wake after another, whatever else is heard; the one that brought us here may come early by the clock of this function.
  if (wakeAtMs - nowMs > duringDrainsMs) return wakeAtMs;
  ports.telemetry.logger.warn('A maximum that Holdfast had raised stays raised: the group was let go while its Auto Scaling group holds more.', {
    group,
    raised,
  });
  const drains = (await ports.store.swaps(group)).some((swap) => swap.state === 'leaving' || swap.state === 'draining');
  const againAtMs = nowMs + (drains ? duringDrainsMs : afterDrainsMs);
  await ports.wakes.wake(group, againAtMs);
  return againAtMs;
};

/** Maxima that no other group has taken over together with the Auto Scaling group: a new holder knows what we gave them. */
const withoutHeirs = async (group: string, raised: readonly RaisedMax[], { store }: ReactPorts): Promise<readonly RaisedMax[]> => {
  if (raised.length === 0) return raised;
  const holders = (await store.registry()).filter(
    (entry) => entry.group !== group && entry.asgs.some((asg) => raised.some((one) => one.asg === asg)),
  );
  const states = await Promise.all(holders.map((entry) => store.state(entry.group)));
  const taken = new Set(states.flatMap((state) => state?.holders ?? []));
  return raised.filter(({ asg }) => !taken.has(asg));
};

/**
 * Leaves a group whose policy is gone: puts its maximum sizes back, and notes that the next policy of this name sets the size anew. Its instances are
 * not touched, and drains under way come to their end by themselves.
 */
export const letGo = async ({ group, leaving }: Facts, ports: ReactPorts): Promise<{ readonly kind: 'let-go' | 'contended' }> => {
  await answerHooks(leaving, ports);
  const state = await ports.store.state(group);
  if (state === undefined) return { kind: 'let-go' };
  // Written even where nothing changes: whoever decides with a policy that was read before it went must lose the write.
  const raised = await withoutHeirs(group, await putBack(state.raised, ports), ports);
  const wakeAtMs = raised.length === 0 ? state.wakeAtMs : await lookAgain(group, { ...state, raised }, ports);
  const written = await ports.store.putState(group, { ...state, version: state.version + 1, policySize: '', raised, wakeAtMs });
  return { kind: written === 'done' ? 'let-go' : 'contended' };
};
