import { asMap, type Fields } from './reading.ts';

/**
 * How `defaults` apply to a pool: maps are merged field by field, to any depth. Anything else that the pool has (a
 * number, a text, a list) replaces the value from the defaults. Lists are never joined.
 */
export const mergeDefaults = (defaults: Fields, own: Fields): Fields => {
  const names = [...new Set([...Object.keys(defaults), ...Object.keys(own)])];
  return Object.fromEntries(names.map((name) => [name, merged(ownValue(defaults, name), ownValue(own, name))]));
};

const ownValue = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined);

const merged = (under: unknown, over: unknown): unknown => {
  if (over === undefined) return under;
  const [below, above] = [asMap(under), asMap(over)];
  return below === undefined || above === undefined ? over : mergeDefaults(below, above);
};
