import type { History } from '../../../sandbox/judge/history.ts';
import { type Judgement, judge } from '../../../sandbox/judge/judge.ts';
import { plantCapacity } from './capacity.ts';
import type { Planted } from './editing.ts';
import { plantLeaving } from './leaving.ts';
import { plantLimits } from './limits.ts';

/** Of one kind of false step: how many were planted, how many the judge did not see, and what hid those. */
export type Slack = { readonly kind: string; readonly planted: number; readonly unseen: number; readonly hiddenBy: ReadonlyMap<string, number> };

/** `strict`: without faults, of groups kept by tag alone. */
export type Kind = 'strict' | 'other';

const kindOf = ({ faults, events }: History): Kind => {
  const isTag = events.every((event) => event.kind !== 'policy-in-force' || !JSON.stringify(event.document ?? {}).includes('"asg"'));
  return faults.length === 0 && isTag ? 'strict' : 'other';
};

const textOf = ({ rule, instance, group, detail }: Judgement['broken'][number]): string => `${rule}|${instance ?? ''}|${group ?? ''}|${detail}`;

/** What the judge makes of a planted step: seen, or hidden by these allowances, or by nothing that is written down. */
const hiddenBy = ({ history }: Planted, before: Judgement): readonly string[] | undefined => {
  const known = new Set(before.broken.map(textOf));
  const now = judge(history);
  if (now.broken.some((finding) => !known.has(textOf(finding)))) return undefined;
  const excused = new Set(before.excused.map(({ finding }) => textOf(finding)));
  const rows = now.excused.filter(({ finding }) => !excused.has(textOf(finding))).map(({ allowance }) => allowance);
  return rows.length === 0 ? ['no rule looks there'] : [...new Set(rows)];
};

export type Measured = { readonly world: Kind; readonly kind: string; readonly hiddenBy?: readonly string[] };

/** Plants false steps into a history and judges each. */
export const measure = (history: History): readonly Measured[] => {
  const before = judge(history);
  const world = kindOf(history);
  return [...plantCapacity(history), ...plantLeaving(history), ...plantLimits(history)].map((one) => {
    const rows = hiddenBy(one, before);
    return { world, kind: one.kind, ...(rows === undefined ? {} : { hiddenBy: rows }) };
  });
};

const slackOf = (kind: string, list: readonly Measured[]): Slack => {
  const unseen = list.filter((one) => one.hiddenBy !== undefined);
  const rows = Map.groupBy(
    unseen.flatMap((one) => one.hiddenBy ?? []),
    (row) => row,
  );
  return { kind, planted: list.length, unseen: unseen.length, hiddenBy: new Map([...rows].map(([row, all]) => [row, all.length])) };
};

export const slackBy = (measured: readonly Measured[], world: Kind): readonly Slack[] => {
  const inWorld = measured.filter((one) => one.world === world);
  return [...Map.groupBy(inWorld, ({ kind }) => kind)].map(([kind, list]) => slackOf(kind, list)).toSorted((a, b) => b.unseen - a.unseen);
};
