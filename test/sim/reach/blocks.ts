import type { Profiler } from 'node:inspector';
import { SourceMap, type SourceMapPayload } from 'node:module';

/** A place in a bundle where V8 counts anew, and the place in the sources that it comes from. */
export type Block = { readonly file: string; readonly line: number; readonly column: number };

/** How often code ran from an offset on, as far as the next one. */
type Segment = { readonly from: number; readonly count: number };

/** Counts of one script at every offset: of nested ranges the innermost counts. */
export type Counts = { readonly segments: readonly Segment[]; readonly starts: readonly number[] };

/** Ranges of V8 lie within each other; outer ones come first. */
export const countsOf = (functions: readonly Profiler.FunctionCoverage[]): Counts => {
  const ranges = functions.flatMap(({ ranges: own }) => own).toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const segments: Segment[] = [];
  const open: Profiler.CoverageRange[] = [];
  const close = (untilOffset: number): void => {
    for (let inner = open.at(-1); inner !== undefined && inner.endOffset <= untilOffset; inner = open.at(-1)) {
      open.pop();
      segments.push({ from: inner.endOffset, count: open.at(-1)?.count ?? 0 });
    }
  };
  for (const range of ranges) {
    close(range.startOffset);
    segments.push({ from: range.startOffset, count: range.count });
    open.push(range);
  }
  close(Number.POSITIVE_INFINITY);
  return { segments, starts: [...new Set(ranges.map(({ startOffset }) => startOffset))] };
};

/** How often the code at this offset ran. */
export const countAt = ({ segments }: Pick<Counts, 'segments'>, offset: number): number => {
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle]?.from ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return segments[low - 1]?.count ?? 0;
};

/** Finds the source of an offset, in files below these folders alone. */
export const sourceFinder = (code: string, map: SourceMapPayload, folders: readonly string[]): ((offset: number) => Block | undefined) => {
  const lines = [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineOf = (offset: number): number => {
    let [low, high] = [0, lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((lines[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  const sources = new SourceMap(map);
  return (offset) => {
    const line = lineOf(offset);
    const entry = sources.findEntry(line, offset - (lines[line] ?? 0));
    if (!('originalSource' in entry)) return undefined;
    const file = entry.originalSource.replace(/^(?:\.\.\/)+/, '');
    return folders.some((folder) => file.startsWith(`${folder}/`))
      ? { file, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
      : undefined;
  };
};

export const nameOf = ({ file, line, column }: Block): string => `${file}:${line}:${column}`;
