import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { type Json, textOf } from '../../read-json.ts';
import { decisionsIn, type Showing } from '../../said/shown.ts';
import { type Line, linesOf } from '../../said/shown-lines.ts';

type Broken = Omit<Finding, 'rule'>;

/** A decision as it is printed: its lines, and how many older ones are printed as repeats of it. */
type Block = { readonly id: string; readonly version: string; readonly lines: readonly string[]; readonly repeats: number };

const headline = /^\S+ \S+ UTC {2}\S+ {2}decision (\S+) {2}policy version (\S+)$/;
const repeatLine = /^ {2}the same (?:once|(\d+) times) before, since /;

const blocksOf = (text: string): readonly Block[] =>
  text.split('\n\n').flatMap((block): readonly Block[] => {
    const [head = '', ...rest] = block.split('\n');
    const [, id, version] = headline.exec(head) ?? [];
    if (id === undefined || version === undefined) return [];
    const repeat = repeatLine.exec(rest.at(-1) ?? '');
    const lines = (repeat === null ? rest : rest.slice(0, -1)).map((line) => line.trim().replace(/^would: +/, ''));
    return [{ id, version, lines, repeats: repeat === null ? 0 : Number(repeat[1] ?? 1) }];
  });

const isShownBy = ({ begins, names }: Line, line: string): boolean => line.startsWith(begins) && names.every((name) => line.includes(name));

/** What a decision stores and its text does not show, and lines that nothing stored explains. */
const differences = (lines: readonly string[], stored: readonly Line[]): readonly string[] => {
  const left = [...lines];
  const hidden = stored.flatMap((wanted): readonly string[] => {
    const index = left.findIndex((line) => isShownBy(wanted, line));
    if (index === -1) return [`does not show: ${[wanted.begins, ...wanted.names].filter((part) => part !== '').join(' ')}`];
    left.splice(index, 1);
    return [];
  });
  return [...hidden, ...left.map((line) => `shows without a stored reason: ${line}`)];
};

const passing = (line: string): boolean => !line.startsWith('prices: ') && !line.startsWith('EC2 shows as ended');

const differs = (block: Block, decision: Json, isRepeat: boolean): readonly string[] => {
  const version = String(decision.policyVersion);
  const stored = linesOf(decision).filter(({ begins }) => !isRepeat || passing(begins));
  return [
    ...(version === block.version || isRepeat ? [] : [`is of policy version ${version}, and the text says ${block.version}`]),
    ...differences(isRepeat ? block.lines.filter(passing) : block.lines, stored),
  ];
};

/** Newest first, as they are printed: a block shows one decision, and as many older ones as it counts. */
const wrongIn = (showing: Showing, group: string, text: string): readonly Broken[] => {
  const decisions = decisionsIn(showing, group);
  const blocks = blocksOf(text);
  const told = blocks.flatMap((block) => Array.from({ length: block.repeats + 1 }, (_, index) => ({ block, isRepeat: index > 0 })));
  const about = { group, atMs: showing.atMs };
  if (told.length !== decisions.length)
    return [{ ...about, detail: `${decisions.length} decisions of ${group} are stored, and holdfast decisions shows ${told.length}` }];
  return told.flatMap(({ block, isRepeat }, index): readonly Broken[] => {
    const decision = decisions[index] ?? {};
    const wrong = isRepeat || textOf(decision.id) === block.id ? differs(block, decision, isRepeat) : [`is shown as decision ${block.id}`];
    return wrong.map((what) => ({ ...about, detail: `decision ${textOf(decision.id)} ${what}` }));
  });
};

export const decisionsAreShown: Rule = {
  name: 'what a decision stores is shown',
  meaning:
    '`holdfast decisions` shows every stored decision of a group, newest first, alone or counted as a repeat of the one above it. It shows its policy version and each of its parts: causes, sizes, the numbers of its view, placements, pools that were passed over, removals, moves, remarks, launches with their results, claims and drains. It shows nothing that is not stored.',
  broken: ({ history }: Chronicle) =>
    (history.showings ?? []).flatMap((showing) =>
      showing.shown.flatMap(({ command, about, text }) => (command === 'decisions' ? wrongIn(showing, about, text) : [])),
    ),
};
