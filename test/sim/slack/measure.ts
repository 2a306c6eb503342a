import { allowances } from '../../../sandbox/judge/allowances.ts';
import type { History } from '../../../sandbox/judge/history.ts';
import { type Judgement, judge, judgements } from '../../../sandbox/judge/judge.ts';
import { rules } from '../../../sandbox/judge/rules.ts';
import { plantCapacity } from './capacity.ts';
import type { Planted } from './editing.ts';
import { plantLeaving } from './leaving.ts';
import { plantLimits } from './limits.ts';

/** Of one kind of false step: how many were planted, how many the judge did not see, and in which worlds what hid those. */
export type Slack = {
  readonly kind: string;
  readonly planted: number;
  readonly unseen: number;
  readonly hiddenBy: ReadonlyMap<string, readonly number[]>;
};

/** `strict`: without faults, of groups kept by tag alone. */
export type Kind = 'strict' | 'other';

const kindOf = ({ faults, events }: History): Kind => {
  const isTag = events.every((event) => event.kind !== 'policy-in-force' || !JSON.stringify(event.document ?? {}).includes('"asg"'));
  return faults.length === 0 && isTag ? 'strict' : 'other';
};

const textOf = ({ rule, instance, group, detail }: Judgement['broken'][number]): string => `${rule}|${instance ?? ''}|${group ?? ''}|${detail}`;

/** Which rule saw the last step of each kind. That rule is asked first about the next one, because most steps of a kind break the same rule. */
const sawLast = new Map<string, string>();

/** What the judge makes of a planted step: seen, or hidden by these allowances, or by nothing that is written down. */
const hiddenBy = ({ kind, history }: Planted, before: Judgement): readonly string[] | undefined => {
  const known = new Set(before.broken.map(textOf));
  const knownExcuses = new Set(before.excused.map(({ finding }) => textOf(finding)));
  const likely = sawLast.get(kind);
  const inTurn = rules.toSorted((a, b) => Number(b.name === likely) - Number(a.name === likely));
  const rows = new Set<string>();
  for (const { rule, broken, excused } of judgements(history, { rules: inTurn, allowances })) {
    if (broken.some((finding) => !known.has(textOf(finding)))) {
      sawLast.set(kind, rule);
      return undefined;
    }
    for (const { finding, allowance } of excused) if (!knownExcuses.has(textOf(finding))) rows.add(allowance);
  }
  return rows.size === 0 ? ['no rule looks there'] : [...rows];
};

export type Measured = { readonly seed: number; readonly world: Kind; readonly kind: string; readonly hiddenBy?: readonly string[] };

/** Plants false steps into the history of a world and judges each. */
export const measure = (seed: number, history: History): readonly Measured[] => {
  const before = judge(history);
  const world = kindOf(history);
  return [...plantCapacity(history), ...plantLeaving(history), ...plantLimits(history)].map((one) => {
    const rows = hiddenBy(one, before);
    return { seed, world, kind: one.kind, ...(rows === undefined ? {} : { hiddenBy: rows }) };
  });
};

const slackOf = (kind: string, list: readonly Measured[]): Slack => {
  const unseen = list.filter((one) => one.hiddenBy !== undefined);
  const rows = Map.groupBy(
    unseen.flatMap(({ seed, hiddenBy = [] }) => hiddenBy.map((row) => ({ row, seed }))),
    ({ row }) => row,
  );
  return { kind, planted: list.length, unseen: unseen.length, hiddenBy: new Map([...rows].map(([row, all]) => [row, all.map(({ seed }) => seed)])) };
};

export const slackBy = (measured: readonly Measured[], world: Kind): readonly Slack[] => {
  const inWorld = measured.filter((one) => one.world === world);
  return [...Map.groupBy(inWorld, ({ kind }) => kind)].map(([kind, list]) => slackOf(kind, list)).toSorted((a, b) => b.unseen - a.unseen);
};
