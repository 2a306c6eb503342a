import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import type { Draw } from '../random-draw.ts';
import { interrupt, putPolicy } from '../steps.ts';
import { type DrawnWorld, withSteps } from './profile.ts';

type Policy = Readonly<Record<string, unknown>>;
type Race = (draw: Draw, world: DrawnWorld, policy: Policy) => DrawnWorld;

const larger = ({ size }: Policy, by: number) => ({ min: 1, max: 14, desired: (size as { readonly desired: number }).desired + by });

/** The describe that a decision is made on comes late, and meanwhile a larger size is written. */
const editedWhileGathering: Race = (draw, world, policy) => {
  const edit = putPolicy(2_300, { ...policy, size: larger(policy, draw.between(1, 3)) }, 'the policy asks for more', 'size-edited');
  const slow: FaultInput = {
    on: 'call',
    kind: 'delay',
    delayMs: draw.between(5, 9) * 1_000,
    nth: draw.between(1, 3),
    match: { operation: 'DescribeInstances' },
  };
  return withSteps({ ...world, steps: [], faults: [slow] }, [interrupt(1_000, draw.between(1, 2)), edit]);
};

/** By then describes show every member, however late they are. */
const knownMs = 60_000;
/** The SDK makes three attempts of each request. */
const launches: [string, ...string[]] = ['CreateFleet', 'LaunchInstances'];
const lost: readonly FaultInput[] = [1, 2, 3].map((nth) => ({ on: 'call', kind: 'lose-answer', when: 'after', nth, match: { operation: launches } }));

const lagging = (world: DrawnWorld): DrawnWorld => ({
  ...world,
  spec: { ...world.spec, timing: { ...world.spec.timing, lagSeconds: [25, 30] as const } },
  steps: [],
  clockErrorMs: 0,
});

/** The answer to a launch is lost, describes do not show yet what was launched, and before it is repeated the policy changes. */
const editedBeforeRepeat: Race = (draw, world, policy) => {
  const late: FaultInput = { on: 'call', kind: 'delay', delayMs: 2_000, nth: 3, match: { operation: launches } };
  const edit = putPolicy(knownMs + 2_300, { ...policy, tags: { run: String(draw.between(100, 199)) } }, 'the policy gets other tags', 'tags-edited');
  return withSteps({ ...lagging(world), faults: [...lost, late] }, [interrupt(knownMs, draw.between(1, 2)), edit]);
};

/** The same, and the repeat is throttled. */
const throttledRepeat: Race = (draw, world) => {
  const throttled = [4, 5, 6].map((nth): FaultInput => ({ on: 'call', kind: 'throttle', nth, match: { operation: launches } }));
  return withSteps({ ...lagging(world), faults: [...lost, ...throttled] }, [interrupt(knownMs, draw.between(1, 2))]);
};

/** What must come at one certain moment to meet a change that is under way; drawn at random, it comes there almost never. */
export const races: readonly Race[] = [editedWhileGathering, editedBeforeRepeat, throttledRepeat];
