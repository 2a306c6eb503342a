import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { bundle, bundleOptions } from '../assembly/bundle.ts';
import { minifyAgain } from '../assembly/minify-again.ts';
import { median } from './statistics.ts';

/** Bundle sizes and the time to import them in a fresh process, beside a handler that has the plain clients and nothing else. */
export type ImportFigures = {
  readonly reactKb: number;
  readonly controlKb: number;
  readonly reactMs: number;
  readonly controlMs: number;
  /** react's time divided by the control's. */
  readonly ratio: number;
  readonly processes: number;
};

const root = dirname(import.meta.dirname);
const processes = 21;

/** What Lambda sets, and the clients ask for when they are made. */
const environment = { PATH: process.env.PATH, AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' };

const bundleControl = async (outfile: string): Promise<void> => {
  const { outExtension: _, ...common } = bundleOptions;
  const entryPoints = [join(root, 'bench', 'control-handler.ts')];
  const { outputFiles } = await build({ ...common, plugins: [], sourcemap: false, entryPoints, outfile, write: false });
  const { code } = await minifyAgain(outputFiles[0]?.text ?? '', '');
  await writeFile(outfile, code);
};

const timer = `const from = performance.now(); await import(process.argv[1]); console.log(performance.now() - from);`;

const importOnce = async (file: string): Promise<number> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', timer, pathToFileURL(file).href], {
    env: environment,
  });
  return Number(stdout);
};

const kilobytes = async (file: string): Promise<number> => Number(((await stat(file)).size / 1024).toFixed(1));

const compare = async (react: string, control: string): Promise<ImportFigures> => {
  const times: { react: number; control: number }[] = [];
  // The first pair only warms the file cache. In turns, so that whatever else the machine does falls on both.
  for (let round = 0; round <= processes; round++) times.push({ react: await importOnce(react), control: await importOnce(control) });
  const reactMs = median(times.slice(1).map((time) => time.react));
  const controlMs = median(times.slice(1).map((time) => time.control));
  return {
    reactKb: await kilobytes(react),
    controlKb: await kilobytes(control),
    reactMs: Number(reactMs.toFixed(1)),
    controlMs: Number(controlMs.toFixed(1)),
    ratio: Number((reactMs / controlMs).toFixed(2)),
    processes,
  };
};

/** Bundles react as it deploys and the control without our plugins, all other settings equal, and imports each in fresh processes. */
export const benchImport = async (): Promise<ImportFigures> => {
  const react = (await bundle()).find(({ name }) => name === 'react');
  if (react === undefined) throw new Error('There is no react among the bundles, so nothing can be measured.');
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  try {
    const control = join(directory, 'control.mjs');
    await bundleControl(control);
    return await compare(react.file, control);
  } finally {
    await rm(directory, { recursive: true });
  }
};
