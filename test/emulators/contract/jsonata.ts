import { expect } from 'vitest';
import type { Expectation } from './expectation.ts';
import type { MachineEnd, States } from './machines.ts';

const guide = 'https://docs.aws.amazon.com/step-functions/latest/dg';
const transforming = `${guide}/transforming-data.html`;
const variables = `${guide}/workflow-variables.html`;
const errors = `${guide}/concepts-error-handling.html`;
const noJsonata = 'it fails every expression in JSONata';

const wrong = { status: 'FAILED', error: 'States.QueryEvaluationError' };
const ends = (result: unknown) => ({ status: 'SUCCEEDED', result });
const done = { Type: 'Succeed' };
const pass = (Output: unknown, more: object = {}) => ({ Type: 'Pass', Output, End: true, ...more });
const gives = (expression: string): States => ({ A: pass(`{% ${expression} %}`) });

type Case = {
  readonly rule: string;
  readonly source: string;
  readonly runs: readonly { readonly states: States; readonly input?: unknown; readonly end: Partial<MachineEnd> }[];
  readonly ministack?: string;
};

const cases: readonly Case[] = [
  {
    rule: 'evaluates expressions wherever they are in Output, over input, and leaves other text alone',
    source: transforming,
    runs: [
      {
        states: { A: pass({ sum: '{% $sum($states.input.n) %}', deep: [{ text: '{ % no %}' }] }) },
        input: { n: [1, 2] },
        end: ends({ sum: 3, deep: [{ text: '{ % no %}' }] }),
      },
      { states: gives('$states.input.a ? "yes" : "no"'), input: { a: true }, end: ends('yes') },
      { states: gives('$merge([$states.input, {"b": 2}])'), input: { a: 1 }, end: ends({ a: 1, b: 2 }) },
    ],
  },
  {
    rule: 'fails with States.QueryEvaluationError where an expression gives nothing or throws',
    source: transforming,
    runs: [
      { states: gives('$states.input.none'), end: wrong },
      { states: gives('$error("x")'), end: wrong },
    ],
  },
  {
    rule: 'has no $eval',
    source: transforming,
    runs: [{ states: gives('$eval("1 + 1")'), end: wrong }],
    ministack: '$eval is there',
  },
  {
    rule: 'is of version 2.0.6: the operators of 2.1 are no JSONata',
    source: transforming,
    runs: [{ states: gives('$states.input.a ?: 1'), input: { a: 2 }, end: wrong }],
    ministack: '?: is evaluated',
  },
  {
    rule: 'has $partition, $range, $parse and $hash besides its own functions',
    source: transforming,
    runs: [
      { states: gives('$partition([1,2,3], 2)'), end: ends([[1, 2], [3]]) },
      { states: gives('$range(1, 9, 4)'), end: ends([1, 5, 9]) },
      { states: gives('$parse("{\\"a\\":1}").a'), end: ends(1) },
      { states: gives('$substring($hash("a", "SHA-256"), 0, 8)'), end: ends('ca978112') },
    ],
  },
  {
    rule: 'assigns after the state: the same state sees variables as they were, the next as they are',
    source: variables,
    runs: [
      {
        states: {
          A: { Type: 'Pass', Assign: { x: 1, y: 2 }, Next: 'B' },
          B: { Type: 'Pass', Assign: { x: '{% $y %}', y: '{% $x %}' }, Next: 'C' },
          C: pass('{% [$x, $y] %}'),
        },
        end: ends([2, 1]),
      },
    ],
    ministack: 'a state sees what it assigns itself',
  },
  {
    rule: 'takes the first choice that holds, with its Assign, and otherwise the default',
    source: `${guide}/state-choice.html`,
    runs: [1, 5].map((n) => ({
      states: {
        A: { Type: 'Choice', Choices: [{ Condition: '{% $states.input.n > 3 %}', Assign: { size: 'big' }, Next: 'B' }], Default: 'C' },
        B: pass('{% $size %}'),
        C: pass('small'),
      },
      input: { n },
      end: ends(n > 3 ? 'big' : 'small'),
    })),
  },
  {
    rule: 'fails with States.QueryEvaluationError on a condition that is no boolean',
    source: `${guide}/state-choice.html`,
    runs: [{ states: { A: { Type: 'Choice', Choices: [{ Condition: '{% "true" %}', Next: 'B' }], Default: 'B' }, B: done }, end: wrong }],
    ministack: 'the default is taken',
  },
  {
    rule: 'applies Output of Parallel to the list of what its branches gave',
    source: `${guide}/state-parallel.html`,
    runs: [
      {
        states: {
          A: {
            Type: 'Parallel',
            Branches: [1, 2].map((n) => ({ StartAt: 'P', States: { P: pass({ n }) } })),
            Output: '{% $sum($states.result.n) %}',
            End: true,
          },
        },
        end: ends(3),
      },
    ],
    ministack: 'Output of Parallel is ignored',
  },
  {
    rule: 'hands the error to the catcher as $states.errorOutput, with Error and Cause',
    source: errors,
    runs: [
      {
        states: {
          A: {
            Type: 'Parallel',
            Branches: [{ StartAt: 'F', States: { F: { Type: 'Fail', Error: 'Gone', Cause: '{% "all " & $states.input.what %}' } } }],
            Catch: [{ ErrorEquals: ['Gone'], Output: '{% $states.errorOutput %}', Next: 'B' }],
            Next: 'B',
          },
          B: done,
        },
        input: { what: 'of it' },
        end: ends({ Error: 'Gone', Cause: 'all of it' }),
      },
    ],
  },
  {
    rule: 'goes on at once from a Wait until a time that has passed',
    source: `${guide}/state-wait.html`,
    runs: [
      {
        states: { A: { Type: 'Wait', Timestamp: '{% $states.input.at %}', Next: 'B' }, B: done },
        input: { at: '2020-01-01T00:00:00Z' },
        end: { status: 'SUCCEEDED' },
      },
    ],
  },
  {
    rule: 'passes on no more than 256 KiB: States.DataLimitExceeded, which nothing catches',
    source: `${guide}/service-quotas.html`,
    runs: [
      {
        states: { A: { Type: 'Pass', Output: '{% $pad("x", 262145) %}', Next: 'B' }, B: done },
        end: { status: 'FAILED', error: 'States.DataLimitExceeded' },
      },
    ],
    ministack: 'the whole output is passed on',
  },
  {
    rule: 'refuses a definition with a field of JSONPath',
    source: transforming,
    runs: [{ states: { A: pass(1, { ResultPath: '$.a' }) }, end: { status: 'refused' } }],
    ministack: 'the definition is taken',
  },
  {
    rule: 'refuses a definition that leads to a state that is not there',
    source: `${guide}/concepts-amazon-states-language.html`,
    runs: [{ states: { A: { Type: 'Pass', Next: 'Nowhere' } }, end: { status: 'refused' } }],
    ministack: 'the definition is taken, and the execution fails',
  },
];

/** What the drain workflow relies on in the language that it is written in. */
export const jsonata: readonly Expectation[] = cases.map(({ rule, source, runs, ministack }) => ({
  call: 'JSONata',
  rule,
  source,
  cannot: { moto: noJsonata },
  ...(ministack !== undefined && { differs: { ministack } }),
  async check({ runMachine }) {
    for (const { states, input, end } of runs) expect(await runMachine(states, input)).toMatchObject(end);
  },
}));
