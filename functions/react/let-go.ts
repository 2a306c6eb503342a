import type { RaisedMax } from '../../core/view.ts';
import type { ReactPorts } from './ports.ts';

/** How soon a maximum is tried again that could not go down yet, while drains of the group still run. */
const againAfterMs = 60_000;

/** Maximum sizes that could not be put back, because their group wants more than the old maximum now. */
const putBack = async (raised: readonly RaisedMax[], ports: ReactPorts): Promise<readonly RaisedMax[]> => {
  const left: RaisedMax[] = [];
  for (const one of raised) {
    if ((await ports.providerFor({ kind: 'attach', asg: one.asg }).restoreMax(one)) === 'not-yet') left.push(one);
  }
  return left;
};

/**
 * Leaves a group whose policy is gone: puts its maximum sizes back, and notes that the next policy of this name sets the size anew. Its instances are
 * not touched, and drains under way come to their end by themselves.
 */
export const letGo = async (group: string, ports: ReactPorts): Promise<{ readonly kind: 'let-go' | 'contended' }> => {
  const state = await ports.store.state(group);
  if (state === undefined || (state.policySize === '' && state.raised.length === 0)) return { kind: 'let-go' };
  const raised = await putBack(state.raised, ports);
  const written = await ports.store.putState(group, { ...state, version: state.version + 1, policySize: '', raised });
  if (raised.length === 0) return { kind: written === 'done' ? 'let-go' : 'contended' };
  ports.telemetry.logger.warn('A maximum that Holdfast had raised stays raised: the group was let go while its Auto Scaling group holds more.', {
    group,
    raised,
  });
  const drains = (await ports.store.swaps(group)).some((swap) => swap.state === 'leaving' || swap.state === 'draining');
  if (drains) await ports.wakes.wake(group, ports.clock.now() + againAfterMs);
  return { kind: written === 'done' ? 'let-go' : 'contended' };
};
