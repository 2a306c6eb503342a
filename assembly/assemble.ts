import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundle } from './bundle.ts';
import { locked } from './lock.ts';

const root = dirname(import.meta.dirname);
const outdir = join(root, 'cdk.out');
const stampFile = join(outdir, '.inputs');
const lockDir = join(root, 'dist', '.assembling');

/** The inputs of the synthesized stack and its bundles. */
const inputs = ['bin/app.ts', 'bin/options.ts', 'lib', 'functions', 'core', 'aws', 'assembly', 'cdk.json', 'package-lock.json'];

const filesUnder = async (path: string): Promise<readonly string[]> => {
  const absolute = join(root, path);
  if (!(await stat(absolute)).isDirectory()) return [absolute];
  const entries = await readdir(absolute, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

const digestOf = async (files: readonly string[]): Promise<string> => {
  const hash = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = await stat(file);
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
};

const inputsDigest = async (): Promise<string> => digestOf((await Promise.all(inputs.map(filesUnder))).flat().sort());

/** Changes when an input changes, or when something else (a `cdk synth` with another name) wrote the assembly since. */
const fingerprint = async (inputsNow: string): Promise<string> => `${inputsNow} ${await digestOf([join(outdir, 'manifest.json')])}`;

const isCurrent = async (): Promise<boolean> => {
  try {
    return (await readFile(stampFile, 'utf8')) === (await fingerprint(await inputsDigest()));
  } catch {
    // No stamp, or no assembly yet.
    return false;
  }
};

/**
 * Runs the app below a folder as `cdk synth` would, with the same context, but without the CDK's command line: a second instead of three.
 * @throws with what the app said, when it fails
 */
export const synthesize = async (home: string, out: string): Promise<void> => {
  const { context } = JSON.parse(await readFile(join(root, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
  const asTheCommandLine = { ...context, 'aws:cdk:enable-asset-metadata': true, 'aws:cdk:enable-path-metadata': true };
  const app = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(home, 'bin', 'app.ts')], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CDK_OUTDIR: out, CDK_CONTEXT_JSON: JSON.stringify(asTheCommandLine) },
  });
  let said = '';
  for (const stream of [app.stdout, app.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => app.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`The stack could not be synthesized (bin/app.ts ended with ${code}). It said:\n${said}`);
};

/**
 * Bundles the functions and synthesizes the stack into `cdk.out`, unless what is there is current. Simultaneous processes wait for each other.
 * @returns the assembly's directory
 * @throws with what the app said, when synthesis fails (cdk-nag and the template validation are part of it)
 */
export const assemble = (): Promise<string> =>
  locked(lockDir, async () => {
    if (await isCurrent()) return outdir;
    // The stamp is made before the inputs are read, so that an input that is edited meanwhile does not count as bundled.
    const before = await inputsDigest();
    await bundle();
    await synthesize(root, outdir);
    await writeFile(stampFile, await fingerprint(before));
    return outdir;
  });

if (import.meta.main) console.log(await assemble());
