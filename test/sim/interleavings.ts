import { ApiError } from '../../sandbox/api.ts';
import { forkRandom } from '../../sandbox/random.ts';
import { type CleanRun, situationOf } from './crash-points.ts';
import { type Hooks, type Outcome, play } from './play.ts';
import type { Stage } from './stage.ts';

/** What somebody writes at one instant: a size of their own, what they read moved by one, or a size that they read a call before. */
export const writeKinds = ['more', 'fewer', 'same', 'one-more', 'one-fewer', 'one-more-of-before', 'one-fewer-of-before'] as const;
export type WriteKind = (typeof writeKinds)[number];
/** `once`: a person. `kept`: a scaler, which sets its size again every ten seconds where a describe shows another. */
export const habits = ['once', 'kept'] as const;
export type Habit = (typeof habits)[number];

/** A workflow in which somebody sets the size between two calls of functions. */
export type WriteRun = { readonly workflow: string; readonly call: number; readonly write: WriteKind; readonly habit: Habit; readonly seed: number };

const asg = 'web-asg';
const keptEveryMs = 10_000;
const keptForMs = 120_000;

const numbersOf = ({ sandbox: { world } }: Stage) => {
  const found = world.snapshot().autoScalingGroups.find(({ name }) => name === asg);
  if (found === undefined) throw new Error(`There is no Auto Scaling group ${asg}.`);
  return found;
};

/** Sets a size at this very instant: no call of a function comes in between. */
const setNow = ({ sandbox: { world, acting } }: Stage, size: number): void => {
  const set = world.services.find(({ service }) => service === 'autoscaling')?.operations.SetDesiredCapacity;
  try {
    acting.as({ by: { kind: 'user', as: 'scaler' } }, () => set?.({ AutoScalingGroupName: asg, DesiredCapacity: size }, { kind: 'operator' }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
};

/** What is written, from the size that others had set before and the numbers that the writer read. */
const sizeOf = (write: WriteKind, { wanted, readNow, readBefore }: Readonly<Record<'wanted' | 'readNow' | 'readBefore', number>>): number => {
  const sizes: Readonly<Record<WriteKind, number>> = {
    more: wanted + 2,
    fewer: wanted - 2,
    same: wanted,
    'one-more': readNow + 1,
    'one-fewer': readNow - 1,
    'one-more-of-before': readBefore + 1,
    'one-fewer-of-before': readBefore - 1,
  };
  return sizes[write];
};

/** A scaler of absolute sizes looks again in each period. */
const keep = (stage: Stage, size: number): void => {
  const { clock } = stage.sandbox;
  for (let afterMs = keptEveryMs; afterMs <= keptForMs; afterMs += keptEveryMs)
    clock.after(afterMs, () => {
      if (numbersOf(stage).desired !== size) setNow(stage, size);
    });
};

const writer =
  ({ call, write, habit }: WriteRun) =>
  (stage: Stage): void => {
    const { callLog, world } = stage.sandbox;
    let calls = 0;
    let readBefore = numbersOf(stage).desired;
    let wanted = readBefore;
    world.follow((event) => {
      if (event.kind === 'size-written' && event.asg === asg) wanted = event.size;
    });
    callLog.observe(({ caller }) => {
      if (!stage.functionRoles.includes(caller)) return;
      calls += 1;
      const readNow = numbersOf(stage).desired;
      if (calls === call) {
        const size = sizeOf(write, { wanted, readNow, readBefore });
        setNow(stage, size);
        if (habit === 'kept') keep(stage, size);
      }
      readBefore = readNow;
    });
  };

/** The last step of the script is not the last word any more. */
export const playWrite = (run: WriteRun, onEnd: NonNullable<Hooks['onEnd']> = () => undefined): Promise<Outcome> => {
  const { asked, ...situation } = situationOf(run);
  const open = Object.fromEntries(Object.entries(asked).map(([group, { size }]) => [group, { size }]));
  return play({ ...situation, asked: open }, { onReady: writer(run), onEnd });
};

/** Every place where somebody can write, and every way to. */
export const writesBetween = (workflow: string, seed: number, { sequence }: CleanRun): readonly WriteRun[] =>
  habits.flatMap((habit) => writeKinds.flatMap((write) => sequence.map((_, index): WriteRun => ({ workflow, call: index + 1, write, habit, seed }))));

/** One in so many of them, drawn. */
export const someOf = (runs: readonly WriteRun[], parts: number, seed: number): readonly WriteRun[] => {
  const random = forkRandom(seed, 'writes between');
  return runs.filter(() => random() * parts < 1);
};

/** One line that plays this run again. */
export const writeLine = ({ workflow, call, write, habit, seed }: WriteRun): string =>
  `npm run sim -- --workflow ${workflow} --write ${call}:${write}:${habit} --seed ${seed} --trace`;
