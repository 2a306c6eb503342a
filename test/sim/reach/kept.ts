import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProfileName } from '../profiles/list.ts';
import type { Ran } from './ledger.ts';
import type { Reach } from './measure.ts';

/** What is known of a profile holds for one state of the code, of the worlds and of the judge. */
type Kept = Reach & { readonly code: string };

const folder = join(import.meta.dirname, '..', '..', '..', '.reach');
const fileOf = (profile: ProfileName): string => join(folder, `${profile}.json`);

/** Addresses of scripts are those of a folder that is made anew for each run: a script is kept under its number. */
const renamed = (ran: Ran, from: readonly string[], to: readonly string[]): Ran =>
  Object.fromEntries(from.flatMap((name, index) => (ran[name] === undefined ? [] : [[to[index] ?? '', ran[name]]])));
const numbers = (urls: readonly string[]): readonly string[] => urls.map((_, index) => String(index));

/** What an earlier run measured of a profile, if it played as many of the same worlds with the same code. */
export const readKept = async (
  { profile, worlds, from }: Pick<Reach, 'profile' | 'worlds' | 'from'>,
  code: string,
  urls: readonly string[],
): Promise<Reach | undefined> => {
  try {
    const { code: of, ...reach } = JSON.parse(await readFile(fileOf(profile), 'utf8')) as Kept;
    const isSame = of === code && reach.worlds === worlds && reach.from === from;
    return isSame ? { ...reach, ran: renamed(reach.ran, numbers(urls), urls) } : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

export const keep = async (reach: Reach, code: string, urls: readonly string[]): Promise<void> => {
  const kept: Kept = { code, ...reach, ran: renamed(reach.ran, urls, numbers(urls)) };
  await mkdir(folder, { recursive: true });
  await writeFile(fileOf(reach.profile), JSON.stringify(kept));
};
