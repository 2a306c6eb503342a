import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/emulators/paths.ts';
import { services } from '../emulators/contract/services.ts';

/** Calls by the documents of the table client, under the name that AWS gives them. */
const tableCalls: Readonly<Record<string, string>> = { Get: 'GetItem', Put: 'PutItem', Update: 'UpdateItem', Delete: 'DeleteItem' };

test('every AWS call that Holdfast makes has an expectation', async () => {
  const files = (await readdir(join(root, 'aws'), { recursive: true })).filter((file) => file.endsWith('.ts'));
  const sources = await Promise.all(files.map((file) => readFile(join(root, 'aws', file), 'utf8')));
  const made = new Set(
    sources.flatMap((text) => [...text.matchAll(/new ([A-Z][A-Za-z]+)Command\(/g)].map(([, name = '']) => tableCalls[name] ?? name)),
  );
  const expected = new Set(Object.values(services).flatMap((all) => all.flatMap(({ call }) => call)));
  expect([...made].filter((call) => !expected.has(call))).toEqual([]);
  expect(made.size).toBeGreaterThan(25);
});

/** Made by the SDK or the network on our side: no service sends them. */
const ownCodes = /^(TimeoutError|AbortError|E[A-Z_]+)$/;
/** Other names of codes that are provoked: the SDK's exception classes, and what other services call their throttles. */
const otherNames = /(Fault|Exception|MismatchError)$|^(Throttling|RequestThrottled|RateExceeded|ExecutionDoesNotExist)$/;

test('every error code that Holdfast recognizes is provoked by an expectation', async () => {
  const errors = await readFile(join(root, 'aws', 'calls', 'errors.ts'), 'utf8');
  const known = [...errors.matchAll(/new Set\(\[([^\]]*)\]\)/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/'([^']+)'/g)].map(([, code = '']) => code),
  );
  const folder = join(root, 'test', 'emulators', 'contract');
  const contract = (await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
  expect(known.length).toBeGreaterThan(40);
  expect(known.filter((code) => !ownCodes.test(code) && !otherNames.test(code) && !contract.includes(code))).toEqual([]);
});
