import { untaggedIn } from '../../../core/launch/late-tags.ts';
import type { Round, Run } from '../run.ts';

/** Tags members that joined, if the function that attached them died before it did. */
const noteJoined = async ({ group, provider }: Run, { view }: Round): Promise<void> => {
  const unnoted = view.members.flatMap(({ instance, isUnnoted }) => (isUnnoted ? [instance] : []));
  if (unnoted.length > 0) await provider.noteJoined(group, unnoted);
};

/** Tags members whose tags could not be written before. */
export const tagLate = async (run: Run, round: Round): Promise<void> => {
  await noteJoined(run, round);
  for (const { reservation, instances } of untaggedIn(round.view))
    await run.provider.tagLaunched(run.group, reservation, instances);
};
