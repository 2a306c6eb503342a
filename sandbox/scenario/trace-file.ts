import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { shapeProblems } from '../shape.ts';
import { ScenarioError } from './scenario-error.ts';

/** Environment variable that names the folder of traces. */
export const traceFolderVariable = 'HOLDFAST_TRACES';

const shipped = join(import.meta.dirname, '..', 'traces');

/** The folder that is given, or else the one that the environment names. */
const chosenFolder = (given: string | undefined): string | undefined => {
  const named = given ?? process.env[traceFolderVariable];
  if (named !== undefined && !existsSync(named)) throw new ScenarioError(`There is no folder of traces ${named}.`);
  return named;
};

/** The folders with traces, in the order of the search. The built-in traces are last. */
const foldersOf = (given: string | undefined): readonly string[] => {
  const chosen = chosenFolder(given);
  return chosen === undefined ? [shipped] : [chosen, shipped];
};

const namesIn = async (folders: readonly string[]): Promise<readonly string[]> => {
  const files = await Promise.all(folders.map((folder) => readdir(folder)));
  return [...new Set(files.flat().filter((file) => file.endsWith('.json')))].sort();
};

const found = (file: string, folders: readonly string[]): string | undefined =>
  folders.map((folder) => join(folder, file)).find((path) => existsSync(path));

/** Whether there is a trace of this name in the folders of traces. */
export const hasTraceFile = (file: string, folder?: string): boolean => found(file, foldersOf(folder)) !== undefined;

/** Path of a trace file: absolute as it is, and else in the folders of traces. Throws {@link ScenarioError}. */
const pathOf = async (file: string, folder: string | undefined): Promise<string> => {
  if (isAbsolute(file)) return file;
  const folders = foldersOf(folder);
  const path = found(file, folders);
  if (path !== undefined) return path;
  throw new ScenarioError(`There is no trace ${file} in ${folders.join(' or ')}. There are: ${(await namesIn(folders)).join(', ')}.`);
};

const price = z.number().positive();
const priceMap = z.record(z.string(), price);

/** Pairs of a value and the number of samples with that value. */
const runsOf = <Value extends z.ZodType>(value: Value) =>
  z.array(z.union([value, z.number()])).transform((flat, context): readonly z.output<Value>[] => {
    const values: z.output<Value>[] = [];
    for (let index = 0; index < flat.length; index += 2) {
      const read = value.safeParse(flat[index]);
      const run = flat[index + 1];
      if (!read.success || typeof run !== 'number' || !Number.isSafeInteger(run) || run < 1) {
        const message = `expected pairs of a value and a run of at least 1, found ${JSON.stringify(flat.slice(index, index + 2))} at ${index}`;
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      }
      values.push(...new Array<z.output<Value>>(run).fill(read.data));
    }
    return values;
  });

const traceSchema = z
  .object({
    instanceType: z.string().optional(),
    probeMax: z.number().int().positive().optional(),
    gapSeconds: z.number().positive(),
    samples: z.number().int().positive(),
    onDemandUsdHour: z.union([price, priceMap]),
    spotUsdHourMean: priceMap.optional(),
    spotUsdHour: priceMap.optional(),
    pools: z
      .array(
        z.object({
          id: z.string().optional(),
          zone: z.string(),
          region: z.string().optional(),
          rle: runsOf(z.number().int().nonnegative()),
          priceRle: runsOf(price.nullable()).optional(),
        }),
      )
      .min(1),
  })
  .superRefine(({ samples, pools }, context) => {
    for (const [index, { rle, priceRle }] of pools.entries())
      for (const [name, values] of Object.entries({ rle, priceRle }))
        if (values !== undefined && values.length !== samples) {
          const message = `expected runs that add up to the ${samples} samples of the file, found ${values.length}`;
          context.addIssue({ code: 'custom', path: ['pools', index, name], message });
        }
  });

type TraceFile = z.output<typeof traceSchema>;

/** One pool of a trace: what it could give, and at which prices where they are known. Each list has a value a sample. */
export type RecordedPool = {
  readonly zone: string;
  readonly capacity: readonly number[];
  readonly onDemandUsdPerHour: number;
  /** Absent where the trace has no prices. `null`: not known at that sample. */
  readonly spotUsdPerHour?: readonly (number | null)[];
};

/** A recorded trace. */
export type RecordedTrace = {
  readonly file: string;
  readonly instanceType?: string;
  /** How many instances were requested: no count is above it. */
  readonly probeMax?: number;
  readonly gapMs: number;
  readonly samples: number;
  readonly pools: readonly RecordedPool[];
};

type PoolInFile = TraceFile['pools'][number];

/** On-demand prices are one number, or one a region. */
const onDemandPrice = ({ onDemandUsdHour }: TraceFile, { region = '', zone }: PoolInFile, file: string): number => {
  const found = typeof onDemandUsdHour === 'number' ? onDemandUsdHour : onDemandUsdHour[region];
  if (found !== undefined) return found;
  const known = Object.keys(onDemandUsdHour).join(', ');
  throw new ScenarioError(`The trace ${file} has no on-demand price for the region "${region}" of zone ${zone}; onDemandUsdHour has ${known}.`);
};

/** Spot prices by sample, or else one for the whole trace: by pool, or by region. */
const spotPrices = (trace: TraceFile, { id, zone, region = '', priceRle }: PoolInFile): readonly (number | null)[] | undefined => {
  if (priceRle !== undefined) return priceRle;
  const one = trace.spotUsdHourMean?.[id ?? zone] ?? trace.spotUsdHour?.[region];
  return one === undefined ? undefined : new Array<number>(trace.samples).fill(one);
};

const poolOf = (trace: TraceFile, pool: PoolInFile, file: string): RecordedPool => {
  const spotUsdPerHour = spotPrices(trace, pool);
  const onDemandUsdPerHour = onDemandPrice(trace, pool, file);
  return { zone: pool.zone, capacity: pool.rle, onDemandUsdPerHour, ...(spotUsdPerHour && { spotUsdPerHour }) };
};

const parseFile = (text: string, path: string): TraceFile => {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new ScenarioError(`The trace ${path} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  const parsed = traceSchema.safeParse(document);
  if (parsed.success) return parsed.data;
  throw new ScenarioError(`The trace ${path} is not valid (its form: docs/scenarios.md):\n${shapeProblems(parsed.error)}`);
};

const readText = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ScenarioError(`The trace ${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
};

/**
 * Reads a trace by its path, or by its name in the folder of traces.
 * @param folder instead of the one that the environment names.
 * @throws ScenarioError when there is none, or when it is not valid.
 */
export const readTraceFile = async (file: string, folder?: string): Promise<RecordedTrace> => {
  const path = await pathOf(file, folder);
  const trace = parseFile(await readText(path), path);
  return {
    file,
    ...(trace.instanceType !== undefined && { instanceType: trace.instanceType }),
    ...(trace.probeMax !== undefined && { probeMax: trace.probeMax }),
    gapMs: trace.gapSeconds * 1_000,
    samples: trace.samples,
    pools: trace.pools.map((pool) => poolOf(trace, pool, file)),
  };
};
