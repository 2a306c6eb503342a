import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Shown } from '../../said/shown.ts';

type Broken = Omit<Finding, 'rule'>;

/** What code prints that did not have a value. */
const holes = /\b(undefined|NaN|null|Infinity|Invalid Date)\b|\[object/g;
const instances = /\bi-[0-9a-f]{8,17}\b/g;

const wrongIn = ({ life }: Chronicle, { about, text, error }: Shown): readonly string[] => {
  if (error !== undefined) return [`fails: ${error}`];
  if (text.trim() === '') return ['prints nothing'];
  const strange = [...new Set(text.match(instances))].filter((instance) => instance !== about && life(instance) === undefined);
  return [
    ...[...new Set(text.match(holes))].map((hole) => `prints ${hole}`),
    ...strange.map((instance) => `names ${instance}, which nobody launched`),
  ];
};

export const shownWhole: Rule = {
  name: 'what commands print is whole',
  meaning:
    '`holdfast status`, `holdfast decisions` and `holdfast explain` never fail, and print no `undefined`, `NaN` or object in place of a value. Every instance that they name was launched.',
  broken: (chronicle) =>
    (chronicle.history.showings ?? []).flatMap(({ atMs, shown }) =>
      shown.flatMap((one): readonly Broken[] =>
        wrongIn(chronicle, one).map((what) => ({ atMs, detail: `holdfast ${one.command} ${one.about} ${what}` })),
      ),
    ),
};
