import { glob, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundledPackages } from './bundled-packages.ts';
import { type LockedPackage, type LockedPackages, lockedPackages, withAllNeeded } from './locked-packages.ts';

const root = dirname(import.meta.dirname);
export const licencesFile = join(root, 'docs', 'licences.md');

/** Packages by what they are for, each under its strictest use alone. */
export type PackagesByUse = {
  /** In the bundles of the functions. */
  readonly deployed: readonly LockedPackage[];
  /** Loaded or run by `npm start`, the command line, and `cdk deploy`. */
  readonly started: readonly LockedPackage[];
  /** For tests, checks and benchmarks. */
  readonly tools: readonly LockedPackage[];
};

/** Run as programs, so that no import names them. */
const programs = ['node', 'aws-cdk'];
const sources = ['bin/**/*.{ts,mjs}', '{aws,cli,core,functions,lib,sandbox}/**/*.ts', 'scripts/*.{ts,mjs}'];
const named = /(?:\bfrom|\bimport|\b(?:import|load|require|resolve)\()\s*'(?<name>(?:@[^/']+\/)?[^./'][^/']*)/g;

/** Packages that anything outside tests and benchmarks names. */
const namedPackages = async (packages: LockedPackages): Promise<readonly string[]> => {
  const names = new Set(programs);
  for await (const file of glob(sources, { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8');
    for (const { groups } of text.matchAll(named)) if (packages.has(`node_modules/${groups?.name}`)) names.add(groups?.name ?? '');
  }
  return [...names];
};

const inOrder = (packages: Iterable<LockedPackage>): readonly LockedPackage[] =>
  [...packages].sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)) || (a.path < b.path ? -1 : 1));

export const packagesByUse = async (): Promise<PackagesByUse> => {
  const packages = await lockedPackages();
  const bundles = await bundledPackages();
  const bundled = new Set(Object.values(bundles).flatMap((contents) => [...contents.keys()]));
  const needed = withAllNeeded(packages, await namedPackages(packages));
  const all = inOrder(packages.values());
  return {
    deployed: all.filter(({ path }) => bundled.has(path)),
    started: all.filter((one) => needed.has(one) && !bundled.has(one.path)),
    tools: all.filter((one) => !needed.has(one) && !bundled.has(one.path)),
  };
};

const table = (packages: readonly LockedPackage[]): string => {
  const rows = new Set(packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`));
  return ['| package | version | licence |', '|---|---|---|', ...rows].join('\n');
};

/** The text of `docs/licences.md`. */
export const licencesText = ({ deployed, started, tools }: PackagesByUse): string => `# Licences

Holdfast is under the Apache License 2.0. This is what it is made with, by the lockfile; \`npm run licences\` writes the page anew, and a test checks that it is
current. What deploys and what runs on your machine is under permissive licences only; the test names them.

## In the functions that deploy

Parts of these are in the bundles. \`npm run sbom\` says which function holds how much of each.

${table(deployed)}

## On your machine, for the sandbox, the command line and a deployment

The package \`node\` fetches Node.js itself, under the MIT licence with those of its parts, for your platform when it is installed.

${table(started)}

## Tools, for tests, checks and benchmarks alone

${table(tools)}
`;

if (import.meta.main) await writeFile(licencesFile, licencesText(await packagesByUse()));
