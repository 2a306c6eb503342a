import type { Suite, Test } from './registry.ts';

/** A test that takes longer hangs. */
const patienceMs = 20_000;

const suitesOf = (suite: Suite): readonly Suite[] => (suite.parent === undefined ? [suite] : [...suitesOf(suite.parent), suite]);

const inTime = async (body: () => unknown): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('hangs')), patienceMs);
  const run = async (): Promise<void> => void (await body());
  run().then(resolve, reject);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
};

const attempt = async (bodies: readonly (() => unknown)[]): Promise<boolean> => {
  try {
    for (const body of bodies) await inTime(body);
    return true;
  } catch {
    return false;
  }
};

/** Runs tests with their hooks. Hooks of suites run once for each call. */
export const openTrial = () => {
  const begun = new Set<Suite>();
  return {
    passes: async ({ suite, body }: Test): Promise<boolean> => {
      const suites = suitesOf(suite);
      const fresh = suites.filter((one) => !begun.has(one));
      for (const one of fresh) begun.add(one);
      const before = [...fresh.flatMap((one) => one.beforeAll), ...suites.flatMap((one) => one.beforeEach)];
      const passed = await attempt([...before, body]);
      const after = await attempt(suites.flatMap((one) => one.afterEach));
      return passed && after;
    },
    end: async (): Promise<boolean> => attempt([...begun].flatMap((suite) => suite.afterAll)),
  };
};
