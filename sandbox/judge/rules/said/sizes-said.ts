import { wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { lookedSince } from '../../members/staying.ts';
import { latest, within } from '../../policy/in-force.ts';
import { isMap, type Json, mapsOf, numberOf, textOf } from '../../read-json.ts';
import { remembered } from '../../remembered.ts';
import { decisionWrite } from '../../said/decision-writes.ts';
import { keepsItsOwn } from '../../said/kept-sizes.ts';
import { isFunction } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;
type Write = { readonly atMs: number; readonly invocation: string; readonly beganMs: number };

/** What a decision that was carried out says about the size of its group. */
type SaidSizes = { readonly id: string; readonly group: string; readonly sizes: readonly Json[]; readonly write: Write };

const sizesSaid = remembered((chronicle: Chronicle): readonly SaidSizes[] => {
  return mapsOf(chronicle.history.stored.decisions).flatMap(({ id, group, sizes, outcome }): readonly SaidSizes[] => {
    const write = decisionWrite(chronicle, textOf(group), textOf(id));
    if (!isMap(outcome) || outcome.code !== 'carried-out' || write === undefined || !isFunction(write.by)) return [];
    const { atMs, by } = write;
    return [
      {
        id: textOf(id),
        group: textOf(group),
        sizes: mapsOf(sizes),
        write: { atMs, invocation: by.invocation, beganMs: lookedSince(chronicle, by, atMs) },
      },
    ];
  });
});

/** Changes name what the size was and what it became. */
const isChange = ({ from, to }: Json): boolean => typeof from === 'number' && typeof to === 'number';

/** Each change begins where the one before ended, and both ends are sizes that the state of the group had meanwhile. */
const wrongChanges = (chronicle: Chronicle, { group, sizes, write: { atMs, invocation, beganMs } }: SaidSizes): readonly string[] => {
  const changes = sizes.filter(isChange);
  const [first, last] = [changes[0], changes.at(-1)];
  if (first === undefined || last === undefined) return [];
  const written = chronicle.groups.get(group)?.written ?? [];
  const before = latest(written, beganMs);
  const had = within(written, beganMs, atMs).map(({ desired }) => desired);
  const own = written.filter(({ by }) => isFunction(by) && by.invocation === invocation).map(({ desired }) => desired);
  const torn = changes.some((change, index) => index > 0 && change.from !== changes[index - 1]?.to);
  return [
    ...(torn ? ['names changes of the size that do not follow from each other'] : []),
    ...(own.length === 0 || own.includes(numberOf(last.to)) ? [] : [`says that the size became ${last.to}, and it became ${own.join(', ')}`]),
    // A new group has no size before its first look, and neither has one whose state was lost.
    ...(before === undefined || wasLost(chronicle, group, before.atMs, atMs) || had.includes(numberOf(first.from))
      ? []
      : [`says that the size was ${first.from}, and it was ${had.join(', ')}`]),
  ];
};

/** A change of the size by its own invocation that no decision of it names. */
const unsaid = (chronicle: Chronicle): readonly Broken[] => {
  const byInvocation = Map.groupBy(sizesSaid(chronicle), ({ group, write }) => `${group} ${write.invocation}`);
  return [...chronicle.groups.values()].flatMap((timeline) => {
    const { group, written } = timeline;
    return written.flatMap(({ desired, atMs, by }, index): readonly Broken[] => {
      const before = written[index - 1];
      if (before === undefined || !isFunction(by) || desired === before.desired || wasLost(chronicle, group, before.atMs, atMs)) return [];
      if (chronicle.policyAt(group, atMs)?.mode === 'observe' || (!isFunction(before.by) && keepsItsOwn(timeline, index))) return [];
      const said = byInvocation.get(`${group} ${by.invocation}`);
      if (said === undefined || said.some(({ sizes }) => sizes.some(isChange))) return [];
      return [{ group, atMs, detail: `the size became ${desired}, and decision ${said[0]?.id} does not say so` }];
    });
  });
};

export const sizesAreExplained: Rule = {
  name: 'a change of the size is explained',
  meaning:
    'Where a function changed the desired size of a group and stored a decision that was carried out, that decision names the change, from the size that the group had to the one that it has since. Several changes follow from each other. An observed group follows its Auto Scaling group, and nothing is said about that. A function that keeps its own size beside a restored one changes nothing.',
  broken: (chronicle) => [
    ...sizesSaid(chronicle).flatMap((said) =>
      wrongChanges(chronicle, said).map((what) => ({ group: said.group, atMs: said.write.atMs, detail: `decision ${said.id} ${what}` })),
    ),
    ...unsaid(chronicle),
  ],
};
