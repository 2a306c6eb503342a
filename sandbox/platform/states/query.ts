import { createHash } from 'node:crypto';
import jsonata from 'jsonata';
import type { WorldClock } from '../../clock.ts';
import type { Random } from '../../random.ts';
import { uuid } from '../uuid.ts';
import { StateError } from './definition.ts';

/** What expressions may look at: `$states` and the variables. */
export type Bindings = { readonly states: Readonly<Record<string, unknown>>; readonly variables: Readonly<Record<string, unknown>> };
export type Evaluate = (template: unknown, bindings: Bindings, field: string) => Promise<unknown>;

const expressions = new Map<string, ReturnType<typeof jsonata>>();

const compiled = (source: string): ReturnType<typeof jsonata> => {
  const known = expressions.get(source) ?? jsonata(source);
  expressions.set(source, known);
  return known;
};

const failed = (field: string, source: string, reason: string): StateError =>
  new StateError('States.QueryEvaluationError', `The JSONata expression '${source}' specified for the field '${field}' ${reason}`);

const algorithms: Readonly<Record<string, string>> = { MD5: 'md5', 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };

const partition = (list: readonly unknown[], size: number): unknown[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));

const range = (first: number, last: number, step: number): number[] =>
  Array.from({ length: Math.max(0, Math.floor((last - first) / step) + 1) }, (_, index) => first + index * step);

/** Functions that Step Functions adds to JSONata, functions that must use the world's time and seed, and the one that Step Functions removes. */
const worldFunctions = (clock: Pick<WorldClock, 'now'>, random: Random) => ({
  now: (picture?: string, zone?: string) => jsonata('$fromMillis($at, $picture, $zone)').evaluate(undefined, { at: clock.now(), picture, zone }),
  millis: () => clock.now(),
  random: () => random(),
  uuid: () => uuid(random),
  partition,
  range,
  parse: (text: string) => JSON.parse(text),
  hash: (text: string, algorithm: string) =>
    createHash(algorithms[algorithm] ?? algorithm)
      .update(text)
      .digest('hex'),
  eval: () => {
    throw new Error('$eval is not supported.');
  },
});

const isFunction = (value: unknown): boolean =>
  typeof value === 'function' || (typeof value === 'object' && value !== null && ('_jsonata_function' in value || '_jsonata_lambda' in value));

/** JSONata marks its lists with hidden members; what leaves an expression is plain JSON. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/**
 * Evaluates every `{% … %}` in a value. Fails with States.QueryEvaluationError when an expression is wrong, throws, or gives nothing.
 * Rules: Step Functions Developer Guide, "Transforming data with JSONata in Step Functions" (JSONata 2.0.6).
 */
export const createEvaluate = (clock: Pick<WorldClock, 'now'>, random: Random): Evaluate => {
  const functions = worldFunctions(clock, random);
  const expression = async (source: string, { states, variables }: Bindings, field: string): Promise<unknown> => {
    let value: unknown;
    try {
      value = await compiled(source).evaluate(undefined, { ...functions, ...variables, states });
    } catch (error) {
      throw failed(field, source, `threw an error during evaluation. ${(error as Error).message}`);
    }
    if (value === undefined) throw failed(field, source, 'returned nothing (undefined).');
    if (isFunction(value)) throw failed(field, source, 'returned an unsupported result type.');
    return plain(value);
  };
  const evaluate: Evaluate = async (template, bindings, field) => {
    if (typeof template === 'string') {
      const source = /^\{%([\s\S]*)%\}$/.exec(template)?.[1];
      return source === undefined ? template : expression(source.trim(), bindings, field);
    }
    if (Array.isArray(template)) return Promise.all(template.map((part, index) => evaluate(part, bindings, `${field}[${index}]`)));
    if (typeof template !== 'object' || template === null) return template;
    const entries = Object.entries(template).map(async ([key, part]) => [key, await evaluate(part, bindings, `${field}/${key}`)] as const);
    return Object.fromEntries(await Promise.all(entries));
  };
  return evaluate;
};
