import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const script = readFileSync(join(root, '.ci', 'run'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

describe('.ci/run', () => {
  test('can be run as it is', () => {
    expect(statSync(join(root, '.ci', 'run')).mode & 0o111).toBe(0o111);
  });

  test('runs every part of `npm run check`, and what a new user runs', () => {
    const parts = scripts.check?.split(' && ') ?? [];
    expect(parts.length).toBeGreaterThan(4);
    for (const command of [...parts, 'npm test', 'npm start']) expect(script).toContain(command);
  });

  test('plays a part of the crash points and random worlds', () => {
    for (const command of ['npm run sim -- --crash-points', '--parts', 'npm run sim -- --seeds']) expect(script).toContain(command);
  });
});
