import { isDeepStrictEqual } from 'node:util';

/** Values that broken builds have in place of one value, each with the number of its build. */
type Others = readonly (readonly [build: number, value: unknown])[];

type Callable = (...args: readonly unknown[]) => unknown;

/** The name under which bundles find this runtime: they are loaded from files, in the same thread. */
export const besideName = 'holdfastBeside';

/** Builds that export other data, so they may differ in every world; and those that returned something else in the world that is played now. */
const always = new Set<number>();
const now = new Set<number>();
let isPlaying = false;

const note = (build: number): void => void (isPlaying ? now : always).add(build);

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
const isCallable = (value: unknown): value is Callable => typeof value === 'function' && !String(value).startsWith('class');
const hasCallables = (value: unknown): value is Readonly<Record<string, unknown>> => isPlain(value) && Object.values(value).some(isCallable);

/** What a broken build returns in place of this. A build that throws returns something else. */
const returnedBy = (others: Others, args: readonly unknown[]): Others =>
  others.flatMap(([build, value]) => {
    if (always.has(build) || now.has(build) || !isCallable(value)) return [];
    try {
      return [[build, value(...args)] as const];
    } catch {
      note(build);
      return [];
    }
  });

/** Data as text. What is no data, such as a schema, is the same text whatever it is. */
const textOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
};

/**
 * A value of the code as it is, beside the same value of broken builds. A function calls all of them with the same arguments and notes which builds
 * return something else. What it returns itself is always the value of the code as it is, so a world plays as if nothing were broken.
 */
const beside = (value: unknown, others: Others, isSame: (one: unknown, other: unknown) => boolean): unknown => {
  if (isCallable(value)) return (...args: readonly unknown[]) => beside(value(...args), returnedBy(others, args), isDeepStrictEqual);
  if (hasCallables(value)) {
    const inOthers = (key: string): Others => others.map(([build, other]) => [build, isPlain(other) ? other[key] : undefined]);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, beside(one, inOthers(key), isSame)]));
  }
  for (const [build, other] of others) if (!isSame(value, other)) note(build);
  return value;
};

/** What modules export, when they are loaded. Two builds make the same rules and schemas twice, so only their data is compared. */
const exported = (value: unknown, others: Others): unknown => {
  const wasPlaying = isPlaying;
  isPlaying = false;
  try {
    return beside(value, others, (one, other) => textOf(one) === textOf(other));
  } finally {
    isPlaying = wasPlaying;
  }
};

(globalThis as Record<string, unknown>)[besideName] = exported;

/** Plays a world, and returns with its result which builds would have decided something else in it. */
export const whoDiffers = async <Result>(play: () => Promise<Result>): Promise<readonly [Result, readonly number[]]> => {
  now.clear();
  isPlaying = true;
  try {
    const result = await play();
    return [result, [...always, ...now]];
  } finally {
    isPlaying = false;
  }
};
