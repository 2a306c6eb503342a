import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from './intrinsics.ts';

/** One synthesized stack: its template, and the paths of the code of its functions. */
export type Assembly = { readonly stackName: string; readonly template: Template; assetDirectory(key: string): string };

type Manifest = { readonly artifacts: Readonly<Record<string, Artifact>> };
type Artifact = {
  readonly type: string;
  readonly properties?: { readonly templateFile?: string; readonly stackName?: string; readonly file?: string };
};
type AssetFile = { readonly files?: Readonly<Record<string, { readonly source: { readonly path: string } }>> };

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** Source path of every file asset, by its hash. */
const assetPaths = (directory: string, artifacts: readonly Artifact[]): ReadonlyMap<string, string> => {
  const manifests = artifacts.filter(({ type }) => type === 'cdk:asset-manifest').map(({ properties }) => properties?.file ?? '');
  const files = manifests.flatMap((file) => Object.entries((readJson(join(directory, file)) as AssetFile).files ?? {}));
  return new Map(files.map(([hash, { source }]) => [hash, source.path]));
};

/**
 * Reads a directory that `cdk synth` wrote.
 * @param stack name of the stack, where the directory holds several.
 * @throws when there is no such directory or stack, or more than one stack and none was named.
 */
export const readAssembly = (directory: string, stack?: string): Assembly => {
  const manifest = join(directory, 'manifest.json');
  if (!existsSync(manifest)) throw new Error(`There is no synthesized app in ${directory}: run "npm run synth" first.`);
  const artifacts = Object.entries((readJson(manifest) as Manifest).artifacts);
  const stacks = artifacts.filter(([id, { type, properties }]) => {
    return type === 'aws:cloudformation:stack' && (stack === undefined || id === stack || properties?.stackName === stack);
  });
  const [only, ...others] = stacks;
  if (only === undefined) throw new Error(`${directory} holds no stack${stack === undefined ? '' : ` called ${stack}`}.`);
  if (others.length > 0) throw new Error(`${directory} holds several stacks (${stacks.map(([id]) => id).join(', ')}): name one.`);
  const [id, { properties }] = only;
  const assets = assetPaths(
    directory,
    artifacts.map(([, artifact]) => artifact),
  );
  return {
    stackName: properties?.stackName ?? id,
    template: readJson(join(directory, properties?.templateFile ?? `${id}.template.json`)) as Template,
    assetDirectory: (key) => {
      const path = assets.get(key.replace(/\.[a-z]+$/, ''));
      if (path === undefined) throw new Error(`No asset in ${directory} is called ${key}.`);
      return join(directory, path);
    },
  };
};
