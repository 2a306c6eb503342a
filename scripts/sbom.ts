import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { functionNames } from '../core/contract.ts';
import { bundledPackages } from './bundled-packages.ts';
import { type LockedPackage, lockedPackages } from './locked-packages.ts';

const root = dirname(import.meta.dirname);
const outdir = join(root, 'dist', 'sbom');

/** The digest of a package's archive, as CycloneDX writes it. */
const hashesOf = ({ integrity }: LockedPackage) => {
  const [algorithm, digest] = integrity?.split('-') ?? [];
  return algorithm === 'sha512' && digest !== undefined
    ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }
    : {};
};

/** The `@` of a scope is escaped in a package URL (purl specification, type npm). */
const purlOf = ({ name, version }: LockedPackage): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

const componentOf = (one: LockedPackage, bytes: number) => ({
  type: 'library',
  'bom-ref': one.path,
  name: one.name,
  version: one.version,
  purl: purlOf(one),
  licenses: [/ OR | AND /.test(one.licence) ? { expression: one.licence } : { license: { id: one.licence } }],
  ...hashesOf(one),
  properties: [{ name: 'holdfast:bytesInBundle', value: String(bytes) }],
});

/** A CycloneDX 1.5 document for each function: what the bundler put into it. The same sources give the same text. */
export const bundleSboms = async (): Promise<Readonly<Record<string, unknown>>> => {
  const [packages, bundles] = await Promise.all([lockedPackages(), bundledPackages()]);
  const sbomOf = (name: (typeof functionNames)[number]) => ({
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: { type: 'application', name: `holdfast/${name}` } },
    components: [...bundles[name]].sort().map(([path, bytes]) => {
      const one = packages.get(path);
      if (one === undefined) throw new Error(`${name} holds ${path}, which the lockfile does not know: install again (npm ci).`);
      return componentOf(one, bytes);
    }),
  });
  return Object.fromEntries(functionNames.map((name) => [name, sbomOf(name)]));
};

/** Everything that is installed to build and run the project, as npm lists it. npm names the project after its folder; this gives it its own name. */
const installedSbom = async (): Promise<unknown> => {
  const { stdout } = await promisify(execFile)('npm', ['sbom', '--sbom-format', 'cyclonedx'], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const sbom = JSON.parse(stdout) as { metadata: { component: object } };
  return { ...sbom, metadata: { ...sbom.metadata, component: { ...sbom.metadata.component, name: 'holdfast' } } };
};

const write = (name: string, content: unknown): Promise<void> =>
  writeFile(join(outdir, `${name}.cdx.json`), `${JSON.stringify(content, undefined, 2)}\n`);

if (import.meta.main) {
  await mkdir(outdir, { recursive: true });
  await write('installed', await installedSbom());
  for (const [name, sbom] of Object.entries(await bundleSboms())) await write(name, sbom);
  console.log(`Written to ${outdir}: installed.cdx.json, and one for each of ${functionNames.join(', ')}.`);
}
