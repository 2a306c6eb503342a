import type { GroupState } from '../view/view.ts';

/** Instances that responses to Holdfast name, as far as the state knows them. Their tags need not be shown yet. */
export const launchedByUs = ({
  reservations,
  newcomers = {},
}: Pick<GroupState, 'reservations' | 'newcomers'>): ReadonlySet<string> =>
  new Set([...reservations.flatMap(({ instances = [] }) => instances), ...Object.keys(newcomers)]);
