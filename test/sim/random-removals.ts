import { type DrawnWorld, oneByOne, seconds, withSteps } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import { alarm, kill } from './steps.ts';

type Document = Readonly<Record<string, unknown>>;
type Row = { readonly alarm?: string; readonly adjust?: string };

/** A share of the worlds that may have it. */
const share = 0.35;
/** So many seconds lie between two alarms: longer than a cooldown and a look. */
const apart = [65, 130] as const;
/** Who comes in place of the lost ones serves by then, so that members differ in their age. */
const untilReplaced = [60, 120] as const;

const orders = ['oldest-first', 'newest-first', 'same-order', 'dearest-first'] as const;

const rowsOf = ({ scaling }: Document): readonly Row[] => (Array.isArray(scaling) ? scaling : []);

/** Alarms by which the group shrinks. A world that says how many serve in the end has none. */
const shrinking = ({ policies, asked }: DrawnWorld): readonly string[] => {
  if (Object.values(asked).some(({ endsAt }) => endsAt !== undefined)) return [];
  return policies.flatMap(rowsOf).flatMap(({ alarm: name, adjust }) => (name !== undefined && adjust?.startsWith('-') ? [name] : []));
};

/** The world whose policies name an order of removal, and whose groups shrink after they lost members. */
export const withRemovals = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const names = shrinking(world);
  if (!draw.chance(share) || names.length === 0) return world;
  const order = draw.one(orders);
  const policies = world.policies.map((policy) => (policy.removal === undefined ? { ...policy, removal: { order } } : policy));
  const lostMs = Math.max(0, world.calmAtMs - 60_000) + seconds(draw, 1, 60);
  const fromMs = lostMs + seconds(draw, ...untilReplaced);
  const alarms = oneByOne(draw, { fromMs, count: draw.between(1, 3), apart }, (atMs) => alarm(atMs, draw.one(names)));
  return withSteps({ ...world, policies }, [kill(lostMs, draw.between(1, 2)), ...alarms]);
};
