import type { Decision } from '../../../core/decision/decision.ts';
import type { GroupState } from '../../../core/view/view.ts';
import type { Run } from '../run.ts';

/**
 * Whether a decision says that an owner suspended `Launch`, and the state was written since the look read it. Another
 * function may have suspended it then. It notes that before, so only the newer state tells it from an owner.
 */
export const suspendedMeanwhile = async (
  { remarks = [] }: Decision,
  { version }: Pick<GroupState, 'version'>,
  { group, ports: { store } }: Run,
): Promise<boolean> => {
  const isSaid = remarks.some(
    (one) => one.code === 'asg-unfit' && one.asgs.some(({ found }) => found.includes('launch-suspended')),
  );
  return isSaid && ((await store.state(group.name))?.version ?? 0) !== version;
};
