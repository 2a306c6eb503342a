import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { assemble } from '../../assembly/assemble.ts';
import { functionNames } from '../../core/contract.ts';
import { licencesFile, licencesText, type PackagesByUse, packagesByUse } from '../../scripts/licences.ts';
import { lockedPackages } from '../../scripts/locked-packages.ts';
import { bundleSboms } from '../../scripts/sbom.ts';

const root = join(import.meta.dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
};

/** Ask nothing of those who use or pass on what is made with them but to keep a notice, where they ask at all. */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
];
/** Build tools may also be under a licence that binds only who passes on the tool, or its data, itself. */
const forTools = [...permissive, 'MPL-2.0', 'CC-BY-4.0'];

/** Of licences to choose from, one must do. */
const suffices = (licence: string, allowed: readonly string[]): boolean =>
  licence
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => allowed.includes(choice));

const refused = (packages: PackagesByUse['tools'], allowed: readonly string[]): readonly string[] =>
  packages.filter(({ licence }) => !suffices(licence, allowed)).map(({ name, licence }) => `${name}: ${licence || 'no licence stated'}`);

beforeAll(async () => void (await assemble()));

test('every dependency is pinned to one version', () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

describe('the lockfile', () => {
  const unsealed = (packages: PackagesByUse['tools']) => packages.filter(({ integrity, isInside }) => integrity === undefined && !isInside);

  test('says what each archive must contain of all that deploys and all that runs on a user’s machine', async () => {
    const { deployed, started } = await packagesByUse();
    expect(unsealed([...deployed, ...started])).toEqual([]);
  });

  // The registry that the lockfile was written from did not carry these: they are pinned by version alone.
  test('leaves open only the linter and the dead-code check on other platforms', async () => {
    const open = unsealed((await packagesByUse()).tools).map(({ name }) => name);
    expect(open.filter((name) => !/^@biomejs\/cli-|^@oxc-parser\/binding-/.test(name))).toEqual([]);
  });
});

describe('install scripts', () => {
  test('run for the packages that package.json names, and all of those have one', async () => {
    const scripted = [...(await lockedPackages()).values()].filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    expect(Object.keys(manifest.allowScripts).sort()).toEqual([...new Set(scripted)].sort());
  });

  test('of any other package fail the installation', () => {
    expect(readFileSync(join(root, '.npmrc'), 'utf8')).toContain('strict-allow-scripts=true');
  });
});

describe('licences', () => {
  test('of all that deploys and all that runs on a user’s machine are permissive', async () => {
    const { deployed, started } = await packagesByUse();
    expect(deployed.length).toBeGreaterThan(10);
    expect(started.map(({ name }) => name)).toEqual(expect.arrayContaining(['aws-cdk', 'dynalite', 'jsonata', 'node']));
    expect(refused([...deployed, ...started], permissive)).toEqual([]);
  });

  test('of tools do not bind their users', async () => {
    expect(refused((await packagesByUse()).tools, forTools)).toEqual([]);
  });

  test('are listed as they are (if not: npm run licences)', async () => {
    expect(readFileSync(licencesFile, 'utf8')).toBe(licencesText(await packagesByUse()));
  });
});

test('the bill of materials of each function names what the bundler put in, sealed by the lockfile', async () => {
  const sboms = (await bundleSboms()) as Readonly<Record<string, { components: { name: string; hashes?: readonly unknown[] }[] }>>;
  expect(Object.keys(sboms)).toEqual(functionNames);
  const names = (name: string) => sboms[name]?.components.map((component) => component.name);
  expect(names('react')).toEqual(expect.arrayContaining(['@aws-sdk/client-ec2', '@middy/core', 'zod']));
  expect(names('tick')).not.toContain('@aws-sdk/client-ec2');
  for (const { components } of Object.values(sboms)) expect(components.filter(({ hashes }) => hashes === undefined)).toEqual([]);
});
