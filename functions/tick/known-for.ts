/** A read whose result an environment uses for a while. A read that fails is made again at the next use. */
export const knownFor = <T>(ms: number, now: () => number, read: () => Promise<T>): (() => Promise<T>) => {
  let known: { readonly value: T; readonly readAtMs: number } | undefined;
  return async () => {
    const nowMs = now();
    if (known === undefined || nowMs - known.readAtMs >= ms) known = { value: await read(), readAtMs: nowMs };
    return known.value;
  };
};
