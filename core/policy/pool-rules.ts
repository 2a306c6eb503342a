import { mergeDefaults } from './merge-defaults.ts';
import { compareText, type Path, type Problem, problemOf, showFound } from './problem.ts';
import { asList, asMap, type Fields, fieldOf } from './reading.ts';

const required = {
  market: 'spot or on-demand, in the pool or in defaults',
  launchTemplate: 'a launch template, in the pool or in defaults',
  subnets: 'a list of subnets, in the pool or in defaults',
  instanceTypes: 'a list of instance types, in the pool or in defaults',
} as const;

/** Fields that come from the Auto Scaling group when it is the pool. */
const broughtByAsg = ['launchTemplate', 'subnets', 'instanceTypes'] as const;

type Entry = { readonly name: string; readonly own: Fields; readonly merged: Fields };

/**
 * What the schema cannot check about pools: fields that are required once defaults are merged, one way of holding for
 * all pools, and repeated entries.
 */
export const poolProblems = (document: Fields): readonly Problem[] => {
  const pools = asMap(fieldOf(document, 'pools'));
  if (pools === undefined) return [];
  const defaults = asMap(fieldOf(document, 'defaults')) ?? {};
  const entries = Object.entries(pools).flatMap(([name, value]): readonly Entry[] => {
    const own = asMap(value);
    return own === undefined ? [] : [{ name, own, merged: mergeDefaults(defaults, own) }];
  });
  return [
    ...(Object.keys(pools).length === 0
      ? [problemOf({ path: ['pools'], found: 'an empty map', allowed: 'at least one pool' })]
      : []),
    ...entries.flatMap((entry) =>
      entry.own.asg === undefined ? missingFields(entry) : surplusFields(entry, defaults),
    ),
    ...holdingProblems(document, entries),
    ...repeatedAsgs(entries),
    ...repeats(['defaults'], defaults),
    ...entries.flatMap(({ name, own }) => repeats(['pools', name], own)),
  ];
};

const missingFields = ({ name, merged }: Entry): readonly Problem[] =>
  Object.entries(required).flatMap(([field, allowed]) =>
    merged[field] === undefined ? [problemOf({ path: ['pools', name, field], found: 'nothing', allowed })] : [],
  );

const surplusFields = ({ name, own }: Entry, defaults: Fields): readonly Problem[] =>
  broughtByAsg.flatMap((field) => {
    const path: Path | undefined = [
      { path: ['pools', name, field], value: own[field] },
      { path: ['defaults', field], value: defaults[field] },
    ].find(({ value }) => value !== undefined)?.path;
    return path === undefined
      ? []
      : [problemOf({ path, found: field, allowed: `no ${field}: pool ${name} takes it from its Auto Scaling group` })];
  });

const holdingProblems = (document: Fields, entries: readonly Entry[]): readonly Problem[] => {
  const through = entries.filter(({ own }) => own.asg !== undefined);
  if (through.length === 0) return [];
  const groupAsg = fieldOf(document, 'asg');
  if (groupAsg !== undefined) {
    const allowed = 'either asg for the group, or asg for every pool, not both';
    return through.map(({ name, own }) =>
      problemOf({ path: ['pools', name, 'asg'], found: showFound(own.asg), allowed }),
    );
  }
  const without = entries.filter(({ own }) => own.asg === undefined);
  const allowed = 'an Auto Scaling group for every pool, or for none';
  return without.map(({ name }) => problemOf({ path: ['pools', name, 'asg'], found: 'nothing', allowed }));
};

const repeatedAsgs = (entries: readonly Entry[]): readonly Problem[] => {
  const allowed = 'an Auto Scaling group of its own for every pool';
  const first = new Map(
    entries.toSorted((a, b) => compareText(b.name, a.name)).map(({ name, own }) => [own.asg, name]),
  );
  return entries
    .filter(({ name, own }) => own.asg !== undefined && first.get(own.asg) !== name)
    .map(({ name, own }) =>
      problemOf({ path: ['pools', name, 'asg'], found: `${showFound(own.asg)}, which another pool has too`, allowed }),
    );
};

const repeats = (path: Path, fields: Fields): readonly Problem[] =>
  ['subnets', 'instanceTypes'].flatMap((field) => repeatedItems([...path, field], fields[field]));

/** Items of a list that occur earlier in it. */
export const repeatedItems = (path: Path, list: unknown): readonly Problem[] => {
  const items = asList(list);
  const repeated = repeatsIn(items);
  return repeated.map((index) =>
    problemOf({ path: [...path, index], found: `${showFound(items[index])} again`, allowed: 'each once' }),
  );
};

/** Positions of texts that occur earlier in the list. */
export const repeatsIn = (items: readonly unknown[]): readonly number[] => {
  const seen = new Set<unknown>();
  return items.flatMap((item, index) => {
    const isRepeated = typeof item === 'string' && seen.has(item);
    seen.add(item);
    return isRepeated ? [index] : [];
  });
};
