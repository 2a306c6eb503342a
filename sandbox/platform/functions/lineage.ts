/** The number of times that each function is in a chain of messages and calls. A function's SDK passes the chain on in the trace header. */
export type Lineage = ReadonlyMap<string, number>;

/** Lambda stops a chain in which a function would be called about this many times (Lambda Developer Guide, "Use Lambda recursive loop detection"). */
const longestChain = 16;

const prefix = 'Lineage=';

/** The attribute `AWSTraceHeader` of a message. Undefined if no function sent the message. */
export const traceHeader = (lineage: Lineage | undefined): string | undefined =>
  lineage === undefined || lineage.size === 0 ? undefined : prefix + [...lineage].map(([name, times]) => `${name}:${times}`).join('|');

const read = (header: string): Lineage =>
  new Map(
    header
      .slice(prefix.length)
      .split('|')
      .map((entry) => [entry.slice(0, entry.lastIndexOf(':')), Number(entry.slice(entry.lastIndexOf(':') + 1))] as const),
  );

type Records = { readonly Records?: readonly { readonly attributes?: { readonly AWSTraceHeader?: string } }[] };

/** The longest chains that a batch of messages ends: each message has its own. */
export const lineageOf = (event: unknown): Lineage => {
  const chains = ((event as Records | null)?.Records ?? []).flatMap(({ attributes }) => attributes?.AWSTraceHeader ?? []);
  const longest = new Map<string, number>();
  for (const [name, times] of chains.flatMap((header) => [...read(header)])) longest.set(name, Math.max(times, longest.get(name) ?? 0));
  return longest;
};

export const isTooLong = (lineage: Lineage, name: string): boolean => (lineage.get(name) ?? 0) >= longestChain;

export const oneLonger = (lineage: Lineage, name: string): Lineage => new Map([...lineage, [name, (lineage.get(name) ?? 0) + 1]]);
