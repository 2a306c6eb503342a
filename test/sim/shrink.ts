import type { Violation } from './invariants.ts';
import { randomSituation } from './random-situation.ts';
import { judge, type Task } from './task.ts';

export type SeedTask = Extract<Task, { kind: 'seed' }>;
/** What is left of a script: numbers of its steps and of its faults. */
type Left = { readonly keep: readonly number[]; readonly faults: readonly number[] };
type Part = { readonly list: keyof Left; readonly number: number };

const partsOf = ({ keep, faults }: Left): readonly Part[] => [
  ...faults.map((number) => ({ list: 'faults', number }) as const),
  ...keep.map((number) => ({ list: 'keep', number }) as const),
];

const leftOf = (parts: readonly Part[]): Left => ({
  keep: parts.filter(({ list }) => list === 'keep').map(({ number }) => number),
  faults: parts.filter(({ list }) => list === 'faults').map(({ number }) => number),
});

const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

const fullScript = ({ seed, kind: _, ...choice }: SeedTask): Left => {
  const { steps, faults = [] } = randomSituation(seed, { ...choice, keep: undefined, faults: undefined });
  return { keep: choice.keep ?? numbered(steps.length), faults: choice.faults ?? numbered(faults.length) };
};

/** Leaves out ever smaller pieces as long as what is left still breaks; nothing of the result can be left out. */
export const fewest = async <T>(all: readonly T[], breaks: (left: readonly T[]) => Promise<boolean>): Promise<readonly T[]> => {
  let parts = all;
  let size = Math.max(1, Math.ceil(parts.length / 2));
  for (;;) {
    const smaller = await firstThatBreaks(parts, size, breaks);
    if (smaller !== undefined) parts = smaller;
    else if (size === 1) return parts;
    else size = Math.ceil(size / 2);
    size = Math.max(1, Math.min(size, parts.length));
    if (parts.length === 0) return parts;
  }
};

const firstThatBreaks = async <T>(
  parts: readonly T[],
  size: number,
  breaks: (left: readonly T[]) => Promise<boolean>,
): Promise<readonly T[] | undefined> => {
  for (let from = 0; from < parts.length; from += size) {
    const left = [...parts.slice(0, from), ...parts.slice(from + size)];
    if (await breaks(left)) return left;
  }
  return undefined;
};

const breaksOneOf = (violations: readonly Violation[], invariants: ReadonlySet<string>): boolean =>
  violations.some(({ invariant }) => invariants.has(invariant));

export type Shrunk = { readonly task: SeedTask; readonly violations: readonly Violation[]; readonly played: number };

/**
 * The fewest steps and faults of this world that still break one of the same invariants.
 * @returns nothing when the world breaks none
 */
export const shrink = async (task: SeedTask): Promise<Shrunk | undefined> => {
  const whole = await judge(task);
  if (whole.length === 0) return undefined;
  const broken = new Set(whole.map(({ invariant }) => invariant));
  let [played, violations] = [1, whole];
  const breaks = async (parts: readonly Part[]): Promise<boolean> => {
    played += 1;
    const now = await judge({ ...task, ...leftOf(parts) });
    if (!breaksOneOf(now, broken)) return false;
    violations = now;
    return true;
  };
  const left = await fewest(partsOf(fullScript(task)), breaks);
  return { task: { ...task, ...leftOf(left) }, violations, played };
};

/** Steps and faults of a world, as people read them. */
export const scriptOf = ({ seed, kind: _, ...choice }: SeedTask): string => {
  const { steps, faults = [] } = randomSituation(seed, choice);
  return [
    ...steps.toSorted((a, b) => a.atMs - b.atMs).map(({ atMs, what }) => `  ${(atMs / 1_000).toFixed(1).padStart(8)} s  ${what}`),
    ...faults.map((fault) => `     fault  ${JSON.stringify(fault)}`),
  ].join('\n');
};
