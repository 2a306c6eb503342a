import type { Step } from './situation.ts';

type Document = Readonly<Record<string, unknown>>;

/** The user writes the policy under another name and deletes the old one, or the other way round; so much later. */
export const rename = (
  atMs: number,
  document: Document,
  to: string,
  laterMs: number,
  order: 'delete-first' | 'write-first' = 'delete-first',
): Step => {
  const from = String(document.group);
  return {
    kind: 'group-renamed',
    atMs,
    lastsMs: laterMs,
    what: `the user renames ${from} to ${to}, ${order}, in ${laterMs / 1_000} s`,
    about: { group: from },
    happen: async (stage) => {
      stage.did({ kind: 'group-renamed', groups: [from, to] });
      const write = (): Promise<void> => stage.putPolicy({ ...document, group: to });
      const remove = (): Promise<void> => stage.deletePolicy(from);
      const [first, second] = order === 'delete-first' ? [remove, write] : [write, remove];
      await first();
      stage.sandbox.clock.after(laterMs, second);
    },
  };
};
