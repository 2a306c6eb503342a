import { readFile, stat } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { assemble } from '../../assembly/assemble.ts';
import { type FunctionBundle, type FunctionName, functionNames } from '../../core/contract.ts';

const fileOf = (name: string): string => join(import.meta.dirname, '..', '..', 'dist', 'functions', name, 'index.mjs');

/** A cold start of `react` or of a drain function delays the work after a warning. A policy may be accepted some milliseconds later, so that bundle may be larger. */
const limitsKb: Readonly<Partial<Record<FunctionName, number>>> = { 'accept-policy': 570, react: 645 };
const defaultLimitKb = 450;

beforeAll(async () => {
  await assemble();
});

describe('bundles', () => {
  test.each(functionNames)('%s is small enough', async (name) => {
    expect((await stat(fileOf(name))).size).toBeLessThanOrEqual((limitsKb[name] ?? defaultLimitKb) * 1_000);
  });

  test.each(functionNames)('%s has both doors: handler for Lambda, create for other surroundings', async (name) => {
    const bundle = (await import(fileOf(name))) as FunctionBundle;
    expect(bundle.handler).toBeTypeOf('function');
    expect(bundle.create).toBeTypeOf('function');
  });

  test.each(functionNames)('the source map of %s leads from the bundle to our sources', async (name) => {
    const [code, map] = await Promise.all([readFile(fileOf(name), 'utf8'), readFile(`${fileOf(name)}.map`, 'utf8')]);
    expect(code.trimEnd().endsWith('//# sourceMappingURL=index.mjs.map')).toBe(true);
    const before = code.slice(0, code.indexOf('The invocation failed. Its messages are delivered again')).split('\n');
    const found = new SourceMap(JSON.parse(map)).findEntry(before.length - 1, before.at(-1)?.length ?? 0);
    expect(found).toHaveProperty('originalSource', expect.stringMatching(/^\.\.\/\.\.\/\.\.\/functions\/runtime\/with-runtime\.ts$/));
    const source = await readFile(join(import.meta.dirname, '../../functions/runtime/with-runtime.ts'), 'utf8');
    expect(source.split('\n')[('originalLine' in found ? found.originalLine : undefined) ?? -1]).toContain('The invocation failed');
  });
});
