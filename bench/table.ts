import Table from 'cli-table3';

/** Rows under a heading, as text: numbers to the right. */
export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string => {
  const colAligns = head.map((_, column) => (rows.every((row) => typeof row[column] === 'number') ? ('right' as const) : ('left' as const)));
  const lines = new Table({ head: [...head], colAligns, style: { head: [], border: [], compact: true } });
  lines.push(...rows.map((row) => [...row]));
  return lines.toString();
};
