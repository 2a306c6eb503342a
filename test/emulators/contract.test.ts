import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../scripts/emulators/paths.ts';
import { findingsFile } from '../../scripts/emulators/write-conformance.ts';
import { type Cloud, openEmulator, openSandbox } from './contract/cloud.ts';
import type { CloudName } from './contract/cloud-names.ts';
import type { Expectation, Finding } from './contract/expectation.ts';
import { listedFindings, services } from './contract/services.ts';
import { emulatorUrl } from './emulators.ts';

const [ministackUrl, motoUrl] = [emulatorUrl('ministack'), emulatorUrl('moto')];
const clouds: Readonly<Partial<Record<CloudName, () => Promise<Cloud>>>> = {
  sandbox: openSandbox,
  ...(ministackUrl !== undefined && { ministack: () => openEmulator('ministack', ministackUrl) }),
  ...(motoUrl !== undefined && { moto: () => openEmulator('moto', motoUrl) }),
};

const findings: Finding[] = [];
/** In the order of the table, whatever the order of the run. */
const ordered = (): readonly Finding[] =>
  listedFindings().flatMap(({ cloud, call, rule }) => findings.find((one) => one.cloud === cloud && one.call === call && one.rule === rule) ?? []);
afterAll(() => writeFile(findingsFile, JSON.stringify(ordered(), undefined, 1)));

const judge = async (expectation: Expectation, cloud: Cloud): Promise<Pick<Finding, 'verdict' | 'how'>> => {
  const how = expectation.differs?.[cloud.name];
  if (how === undefined) {
    await expectation.check(cloud);
    return { verdict: 'agrees' };
  }
  const agrees = await expectation.check(cloud).then(
    () => true,
    () => false,
  );
  if (agrees) throw new Error(`${cloud.name} agrees now: take it out of the listed differences (${how})`);
  return { verdict: 'differs', how };
};

for (const [name, open] of Object.entries(clouds) as [CloudName, () => Promise<Cloud>][]) {
  describe(`on ${name}`, () => {
    let cloud: Cloud;
    beforeAll(async () => {
      cloud = await open();
    });
    afterAll(() => cloud?.close());

    for (const [service, expectations] of Object.entries(services)) {
      for (const expectation of expectations) {
        const { call, rule, source } = expectation;
        const cannot = expectation.cannot?.[name];
        if (cannot !== undefined) {
          findings.push({ service, call, rule, source, cloud: name, verdict: 'cannot', how: cannot });
          continue;
        }
        test(`${call} ${rule}`, async () => {
          findings.push({ service, call, rule, source, cloud: name, ...(await judge(expectation, cloud)) });
        });
      }
    }
  });
}

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
  const folder = join(import.meta.dirname, 'contract');
  const contract = (await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
  expect(known.length).toBeGreaterThan(40);
  expect(known.filter((code) => !ownCodes.test(code) && !otherNames.test(code) && !contract.includes(code))).toEqual([]);
});
