import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { tracePath } from './read-scenario.ts';

const traceSchema = z.object({
  gapSeconds: z.number().positive(),
  samples: z.number().int().positive(),
  onDemandUsdHour: z.number().positive(),
  spotUsdHourMean: z.record(z.string(), z.number()).optional(),
  pools: z.array(z.object({ zone: z.string(), rle: z.array(z.number()) })),
});

/** Capacity of one zone over time: a change at each of these moments, milliseconds from the trace's chosen start. */
export type CapacityChange = { readonly atMs: number; readonly zone: string; readonly capacity: number };

export type Trace = {
  readonly onDemandUsdHour: number;
  readonly spotUsdHour: Readonly<Record<string, number>>;
  readonly changes: readonly CapacityChange[];
};

const expand = (rle: readonly number[]): readonly number[] => {
  const values: number[] = [];
  for (let index = 0; index + 1 < rle.length; index += 2) values.push(...new Array<number>(rle[index + 1] ?? 0).fill(rle[index] ?? 0));
  return values;
};

/** Reads a recorded trace from a sample on, for as long as asked; zones are renamed by the scenario's map (world zone to trace zone). */
export const readTrace = async (how: {
  readonly file: string;
  readonly zones: Readonly<Record<string, string>>;
  readonly fromSample: number;
  readonly lastsMs: number;
}): Promise<Trace> => {
  const trace = traceSchema.parse(JSON.parse(await readFile(tracePath(how.file), 'utf8')));
  const gapMs = trace.gapSeconds * 1_000;
  const count = Math.min(trace.samples - how.fromSample, Math.ceil(how.lastsMs / gapMs));
  const changes = Object.entries(how.zones).flatMap(([zone, recorded]): readonly CapacityChange[] => {
    const pool = trace.pools.find((candidate) => candidate.zone === recorded);
    if (pool === undefined)
      throw new Error(`The trace ${how.file} has no zone ${recorded}; it has ${trace.pools.map((one) => one.zone).join(', ')}.`);
    const values = expand(pool.rle).slice(how.fromSample, how.fromSample + count);
    return values.flatMap((capacity, index) => (index > 0 && values[index - 1] === capacity ? [] : [{ atMs: index * gapMs, zone, capacity }]));
  });
  return { onDemandUsdHour: trace.onDemandUsdHour, spotUsdHour: trace.spotUsdHourMean ?? {}, changes: changes.sort((a, b) => a.atMs - b.atMs) };
};
