import type { Profiler } from 'node:inspector';
import { type Counts, countAt, countsOf, nameOf, type sourceFinder } from './blocks.ts';

/** What is measured: the code of a bundle, and where each of its places comes from. */
export type Script = { readonly url: string; readonly placeOf: ReturnType<typeof sourceFinder> };

/** How often everything ran, by the address of each script. */
export type Ran = Readonly<Record<string, Counts>>;

/** What ran of the code that is measured. Functions from elsewhere, such as the SDK's, are left out. */
export const ranIn = (scripts: readonly Script[], coverage: readonly Profiler.ScriptCoverage[]): Ran => {
  const measured = new Map(scripts.map(({ url, placeOf }) => [url, placeOf]));
  const isMeasured = (url: string, { ranges: [whole] }: Profiler.FunctionCoverage): boolean =>
    whole?.startOffset === 0 || measured.get(url)?.(whole?.startOffset ?? 0) !== undefined;
  return Object.fromEntries(
    coverage.flatMap(({ url, functions }) => (measured.has(url) ? [[url, countsOf(functions.filter((one) => isMeasured(url, one)))]] : [])),
  );
};

/** Which places of the sources ran, by who ran them. */
export type Ledger = {
  /** Takes down what ran, by the address of each script. */
  add(who: string, ran: Ran): void;
  /** Every place that V8 told apart in any of the runs. */
  places(): ReadonlySet<string>;
  /** Of these, what ran. */
  reached(who: string): ReadonlySet<string>;
};

/**
 * V8 reports a block only where its count differs from what is around it, so one run alone does not know all blocks. Here every place that any run
 * has reported is looked up in the counts of every other.
 */
export const createLedger = (scripts: readonly Script[]): Ledger => {
  const starts = new Map(scripts.map(({ url }) => [url, new Set<number>()]));
  const counts = new Map<string, Map<string, Counts[]>>();
  const eachPlace = (script: Script, tell: (place: string, offset: number) => void): void => {
    for (const offset of starts.get(script.url) ?? []) {
      const place = script.placeOf(offset);
      if (place !== undefined) tell(nameOf(place), offset);
    }
  };
  return {
    add: (who, ran) => {
      const own = counts.get(who) ?? new Map<string, Counts[]>();
      counts.set(who, own);
      for (const [url, here] of Object.entries(ran)) {
        own.set(url, [...(own.get(url) ?? []), here]);
        for (const start of here.starts) starts.get(url)?.add(start);
      }
    },
    places: () => {
      const all = new Set<string>();
      for (const script of scripts) eachPlace(script, (place) => all.add(place));
      return all;
    },
    reached: (who) => {
      const reached = new Set<string>();
      for (const script of scripts) {
        const own = counts.get(who)?.get(script.url) ?? [];
        eachPlace(script, (place, offset) => {
          if (own.some((one) => countAt(one, offset) > 0)) reached.add(place);
        });
      }
      return reached;
    },
  };
};
