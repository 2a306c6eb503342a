export const say = (text: string): void => void process.stdout.write(`${text}\n`);

export const secondsSince = (startedMs: number): string => `${((Date.now() - startedMs) / 1_000).toFixed(1)} s`;

export const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** The invariants that broke, each once; nothing when none did. */
export const namesOf = (broken: readonly { readonly invariant: string }[]): string =>
  [...new Set(broken.map(({ invariant }) => invariant))].join(', ');
