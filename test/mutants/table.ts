export const say = (text: string): void => void process.stdout.write(`${text}\n`);

export const secondsSince = (startedMs: number): string => `${((Date.now() - startedMs) / 1_000).toFixed(1)} s`;

export const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** The invariants that broke, each once; nothing when none did. */
export const namesOf = (broken: readonly { readonly invariant: string }[]): string =>
  [...new Set(broken.map(({ invariant }) => invariant))].join(', ');

/** The folder of a broken build. A breakage whose text the code no longer holds is reported, and the others are played all the same. */
export const appliedOr = async (build: Promise<string>, tell: (why: string) => void): Promise<string | undefined> => {
  try {
    return await build;
  } catch (error) {
    tell(`NOT APPLIED: ${(error instanceof Error ? error.message : String(error)).split('\n').slice(0, 2).join(' ')}`);
    return undefined;
  }
};
