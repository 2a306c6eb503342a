import * as z from 'zod/mini';
import { groupSchema } from '../core/policy/schema.ts';

/** The published JSON Schema of a group document, for editors. Rules that span several fields are checked when the policy is written, not here. */
export const groupJsonSchemaText = (): string => {
  const schema = z.toJSONSchema(groupSchema, { io: 'input', target: 'draft-2020-12' });
  const document = {
    $schema: schema.$schema,
    title: 'Holdfast group',
    description: 'A group of interchangeable EC2 instances that Holdfast keeps at a size, and the source of its capacity.',
    ...schema,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
};
