import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type FunctionBundle, functionNames } from '../../functions/contract.ts';
import { assemble } from '../../scripts/assemble.ts';

const fileOf = (name: string): string => join(import.meta.dirname, '..', '..', 'dist', 'functions', name, 'index.mjs');

beforeAll(async () => {
  await assemble();
});

describe('bundles', () => {
  test.each(functionNames)('%s is at most 450 KB', async (name) => {
    expect((await stat(fileOf(name))).size).toBeLessThanOrEqual(450 * 1024);
  });

  test.each(functionNames)('%s has both doors: handler for Lambda, create for other surroundings', async (name) => {
    const bundle = (await import(fileOf(name))) as FunctionBundle;
    expect(bundle.handler).toBeTypeOf('function');
    expect(bundle.create).toBeTypeOf('function');
  });
});
