import { writeFile } from 'node:fs/promises';
import { groupJsonSchemaText } from './group-json-schema.ts';

await writeFile(new URL('../schema/group.schema.json', import.meta.url), groupJsonSchemaText());
