import { expect as vitestExpect } from 'vitest';

/** What a test file may import from `vitest`, without its runner: tests are kept here, and run one by one for each mutant. */
export const expect = vitestExpect;

type Body = () => unknown;
type Hooks = { readonly beforeAll: Body[]; readonly afterAll: Body[]; readonly beforeEach: Body[]; readonly afterEach: Body[] };

/** A file or a `describe`, with its hooks. */
export type Suite = Hooks & { readonly title: string; readonly parent: Suite | undefined };

/** One test of a file. Its id is its place among all tests of the run. */
export type Test = { readonly id: string; readonly title: string; readonly suite: Suite; readonly body: Body };

const suiteOf = (title: string, parent?: Suite): Suite => ({ title, parent, beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] });

let current = suiteOf('');
const tests: Test[] = [];

/** Everything that is registered from now on belongs to this file. Returns the tests that were registered meanwhile. */
export const collect = async (file: string, load: () => Promise<unknown>): Promise<readonly Test[]> => {
  const from = tests.length;
  current = suiteOf(file);
  await load();
  return tests.slice(from);
};

type Titled<Result> = (title: string, body: (...args: never[]) => Result) => void;
/** `it.each(rows)(title, body)`: a row that is a list is the arguments, any other is the only one. */
type Each<Result> = { each(rows: readonly unknown[]): Titled<Result> };

const eachOf =
  <Result>(add: (title: string, body: () => Result) => void): Each<Result>['each'] =>
  (rows) =>
  (title, body) =>
    rows.forEach((row, index) => {
      const args = (Array.isArray(row) ? row : [row]) as never[];
      add(`${title} #${index + 1}`, () => body(...args));
    });

const addSuite = (title: string, body: () => unknown): void => {
  const parent = current;
  current = suiteOf(title, parent);
  body();
  current = parent;
};

const addTest = (title: string, body: Body): void => {
  tests.push({ id: String(tests.length), title, suite: current, body });
};

export const describe: typeof addSuite & Each<unknown> = Object.assign(addSuite, { each: eachOf(addSuite) });
export const it: typeof addTest & Each<unknown> = Object.assign(addTest, { each: eachOf(addTest) });
export const test = it;

export const beforeAll = (body: Body): void => void current.beforeAll.push(body);
export const afterAll = (body: Body): void => void current.afterAll.push(body);
export const beforeEach = (body: Body): void => void current.beforeEach.push(body);
export const afterEach = (body: Body): void => void current.afterEach.push(body);
