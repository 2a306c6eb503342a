import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

type Locked = { readonly version?: string; readonly resolved?: string; readonly optionalDependencies?: Readonly<Record<string, string>> };

const text = readFileSync(join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8');
const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, Locked>> };

describe('the lockfile', () => {
  // `npm ci` refuses a lockfile without them as soon as its registry does not know one of them, whatever the machine's own platform.
  test('lists the packages of every platform, not only of the one it was written on', () => {
    const missing = Object.values(packages)
      .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
      .filter((name) => !Object.keys(packages).some((path) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`)));
    expect(missing).toEqual([]);
  });

  test('names no registry', () => {
    expect(Object.values(packages).flatMap(({ resolved }) => (resolved === undefined ? [] : [resolved]))).toEqual([]);
  });
});
