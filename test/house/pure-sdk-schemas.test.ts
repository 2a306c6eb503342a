import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { markSchemasPure } from '../../scripts/pure-sdk-schemas.ts';

const schemaModule = (client: string): string =>
  join(dirname(createRequire(import.meta.url).resolve(`@aws-sdk/${client}/package.json`)), 'dist-es', 'schemas', 'schemas_0.js');

describe('leaving unused SDK schemas out of bundles', () => {
  test('a schema declaration becomes a call without side effects and keeps its value', () => {
    const marked = markSchemasPure('export var CreateFleet$ = [9, n0, _CF,\n    0, () => In, () => Out\n];\n');
    expect(marked).toBe('export var CreateFleet$ = /* @__PURE__ */ (() => ([9, n0, _CF,\n    0, () => In, () => Out\n]))();\n');
  });

  test.each(['client-ec2', 'client-auto-scaling', 'client-dynamodb', 'client-elastic-load-balancing-v2'])(
    'it still fits what %s looks like',
    async (client) => {
      const source = await readFile(schemaModule(client), 'utf8');
      const marked = markSchemasPure(source).match(/@__PURE__/g)?.length ?? 0;
      const declared = source.match(/^(?:export )?var [\w$]+\$? = \[/gm)?.length ?? 0;
      expect(declared).toBeGreaterThan(50);
      expect(marked).toBe(declared);
    },
  );
});
