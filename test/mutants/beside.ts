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
/** Records and lists that hold functions, however deep. */
const hasCallables = (value: unknown): value is Readonly<Record<string, unknown>> | readonly unknown[] =>
  (Array.isArray(value) || isPlain(value)) && Object.values(value).some((one) => isCallable(one) || hasCallables(one));
const partOf = (whole: unknown, key: string): unknown =>
  Array.isArray(whole) || isPlain(whole) ? (whole as Readonly<Record<string, unknown>>)[key] : undefined;

type Outcome = { readonly returned: unknown } | { readonly error: unknown };

const outcomeOf = (call: Callable, args: readonly unknown[]): Outcome => {
  try {
    return { returned: call(...args) };
  } catch (error) {
    return { error };
  }
};

/** What broken builds return in place of this. A build that throws where the code as it is does not, or the other way round, is noted. */
const returnedBy = (others: Others, args: readonly unknown[], isThrown: boolean): Others =>
  others.flatMap(([build, value]) => {
    if (always.has(build) || now.has(build) || !isCallable(value)) return [];
    const outcome = outcomeOf(value, args);
    if ('error' in outcome !== isThrown) note(build);
    return 'error' in outcome ? [] : [[build, outcome.returned] as const];
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
  if (isCallable(value)) {
    for (const [build, other] of others) if (!isCallable(other)) note(build);
    return (...args: readonly unknown[]) => {
      const outcome = outcomeOf(value, args);
      const returned = returnedBy(others, args, 'error' in outcome);
      if ('error' in outcome) throw outcome.error;
      return beside(outcome.returned, returned, isDeepStrictEqual);
    };
  }
  if (hasCallables(value)) {
    const inOthers = (key: string): Others => others.map(([build, other]) => [build, partOf(other, key)]);
    const parts = Object.entries(value).map(([key, one]) => [key, beside(one, inOthers(key), isSame)] as const);
    return Array.isArray(value) ? parts.map(([, one]) => one) : Object.fromEntries(parts);
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
