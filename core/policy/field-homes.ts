import type * as z from 'zod/mini';
import { groupSchema } from './schema.ts';

/** The fields of a map, whatever defaults and other forms its schema has. Lists and maps by name have none. */
const fieldsOf = (schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return def.shape;
    case 'optional':
    case 'default':
    case 'prefault':
      return fieldsOf(def.innerType);
    case 'union':
      return Object.assign({}, ...def.options.map(fieldsOf)) as Readonly<Record<string, z.core.$ZodType>>;
    default:
      return {};
  }
};

const homes: readonly string[] = Object.entries(fieldsOf(groupSchema)).flatMap(([name, schema]) => [
  name,
  ...Object.keys(fieldsOf(schema)).map((field) => `${name}.${field}`),
]);

/** Where the policy has a field of this name, such as `drain.timeout`. Undefined where it has none, or several. */
export const homeOf = (name: string): string | undefined => {
  const found = homes.filter((home) => home === name || home.endsWith(`.${name}`));
  return found.length === 1 ? found[0] : undefined;
};
