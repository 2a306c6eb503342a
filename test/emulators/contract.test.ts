import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
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
