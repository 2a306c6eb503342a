import * as z from 'zod/mini';

/**
 * Every schema of the policy states in its `error` what is expected: the text that a problem shows. For a map with a
 * fixed set of fields, the text for an unknown field is the list of known ones, which {@link knownFields} reads back.
 */
export const map = <Shape extends z.core.$ZodLooseShape>(shape: Shape, allowed: string) => {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, { error: (issue) => (issue.code === 'unrecognized_keys' ? known : allowed) });
};

export const knownFields = (allowed: string): readonly string[] => allowed.split(', ');

export const text = (pattern: RegExp, allowed: string) => z.string({ error: allowed }).check(z.regex(pattern, allowed));

/**
 * Names that every object has, such as `constructor`. A map that holds one as its own field cannot be stored: the SDK's
 * marshaller takes it for an object of a class.
 */
const isReservedName = (name: string): boolean => name in Object.prototype;
export const reservedText = 'a name that is not reserved (constructor, toString, valueOf and the like are)';

/** A text whose name becomes a key of maps. */
export const key = (pattern: RegExp, allowed: string, nameIn = (value: string) => value) =>
  text(pattern, allowed).check(z.refine((value) => !isReservedName(nameIn(value)), reservedText));

/** Above the size of any real group; catches a typing error. */
const mostOfAnything = 100_000;

export const wholeNumber = (least: number, most = mostOfAnything) => {
  const allowed = `a whole number from ${least} to ${most}`;
  return z.int({ error: allowed }).check(z.gte(least, allowed), z.lte(most, allowed));
};

/** The most members of one group. Each look reads all of them, and a page of 1,000 takes half a second. */
export const mostMembers = 10_000;

/** A number between bounds, so that no number is too small or too large to store. */
export const numberFrom = (least: number, most: number, allowed: string) =>
  z.number({ error: allowed }).check(z.gte(least, allowed), z.lte(most, allowed));

const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });

export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, { error: either.format(values) });

/** More than people write, and few enough for a quick decision. */
const mostInList = 300;

export const shortList = <Item extends z.ZodMiniType>(item: Item, allowed: string, most = mostInList) =>
  z.array(item, { error: allowed }).check(z.maxLength(most, `a list of at most ${most}`));

export const nonEmptyList = <Item extends z.ZodMiniType>(item: Item, allowed: string) =>
  shortList(item, allowed).check(z.minLength(1, allowed));
