import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);

type Entry = {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

/** A package as the lockfile pins it. `path` is its place below the root, and tells two versions of one name apart. */
export type LockedPackage = {
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** SPDX expression; empty when the package states none. */
  readonly licence: string;
  /** Subresource integrity of its archive. */
  readonly integrity?: string;
  /** It comes inside the archive of another package, and is sealed with that. */
  readonly isInside: boolean;
  readonly hasInstallScript: boolean;
  readonly needs: readonly string[];
};

export type LockedPackages = ReadonlyMap<string, LockedPackage>;

/** Name of the package that a path below `node_modules` belongs to. */
const nameAt = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

const toPackage = (path: string, entry: Entry): LockedPackage => ({
  path,
  name: nameAt(path),
  version: entry.version ?? '',
  licence: entry.license ?? '',
  ...(entry.integrity !== undefined && { integrity: entry.integrity }),
  isInside: entry.inBundle ?? false,
  hasInstallScript: entry.hasInstallScript ?? false,
  needs: [entry.dependencies, entry.optionalDependencies, entry.peerDependencies].flatMap((names) => Object.keys(names ?? {})),
});

/** Every package of the lockfile, by its path: the same on every machine, whatever is installed. */
export const lockedPackages = async (): Promise<LockedPackages> => {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as { packages: Readonly<Record<string, Entry>> };
  return new Map(
    Object.entries(packages)
      .filter(([path]) => path !== '')
      .map(([path, entry]) => [path, toPackage(path, entry)]),
  );
};

/** Where Node finds a package that another one imports: its own `node_modules` first, then those above. */
const find = (packages: LockedPackages, name: string, from: string): LockedPackage | undefined => {
  const here = packages.get(from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`);
  if (here !== undefined || from === '') return here;
  return find(packages, name, from.includes('/node_modules/') ? from.slice(0, from.lastIndexOf('/node_modules/')) : '');
};

/** The named packages and all that they need in turn. A peer or an optional package that is not locked is not needed. */
export const withAllNeeded = (packages: LockedPackages, names: readonly string[]): ReadonlySet<LockedPackage> => {
  const found = new Set<LockedPackage>();
  const visit = (name: string, from: string): void => {
    const one = find(packages, name, from);
    if (one === undefined || found.has(one)) return;
    found.add(one);
    for (const needed of one.needs) visit(needed, one.path);
  };
  for (const name of names) visit(name, '');
  return found;
};
