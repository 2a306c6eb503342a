import type { Remark } from '../decision/remark.ts';
import { unfitNow, unfitSince } from '../group/unfit.ts';
import type { BootNews } from '../pool-memory/failed-boots.ts';
import type { GivenUp } from '../pool-memory/given-up.ts';
import { mostArriving } from '../view/arriving.ts';
import type { AsgView, View } from '../view/view.ts';
import type { Rule } from './rule.ts';

/** Instances that one remark names. `count` counts all of them. */
const namedAtMost = 50;
/** Instances that ended before they served may have no swap, so `explain` finds them there. An event names no more. */
const bootsNamed = 200;

const aboutMembers = (
  code: 'detached' | 'advice-not-followed' | 'advice-over-budget' | 'put-back' | 'serves',
  instances: readonly string[] = [],
  most = namedAtMost,
): readonly Remark[] =>
  instances.length === 0 ? [] : [{ code, instances: instances.slice(0, most), count: instances.length }];

const aboutBoots = ({ pool, code, message, restsUntilMs, instances }: BootNews): Remark => ({
  code: 'boots-failed',
  pool,
  awsCode: code,
  awsMessage: message,
  untilMs: restsUntilMs,
  instances: instances.slice(0, bootsNamed),
  count: instances.length,
});

const aboutGivenUp = ({ instances, ...rest }: GivenUp): Remark => ({
  code: 'given-up',
  ...rest,
  instances: instances.slice(0, namedAtMost),
  count: instances.length,
});

/** Whether its minimum keeps members: where it keeps any, all that it lets go leave now. */
const keepsSome = ({ held, min }: AsgView): boolean => min > 0 && held > 0;

/** A remark reports a setting of an Auto Scaling group when it is found first. */
const aboutUnfit = (view: View): readonly Remark[] => {
  const asgs = unfitSince(unfitNow(view), view.state.unfit);
  return asgs.length === 0 ? [] : [{ code: 'asg-unfit', asgs }];
};

/** A remark reports missing spares when their number changes. */
const aboutSpares = (view: View, missing: number): readonly Remark[] =>
  missing === 0 || missing === (view.state.sparesMissing ?? 0)
    ? []
    : [{ code: 'spares-missing', count: missing, of: view.group.spare ?? 0 }];

const remarksOf = ({ news, state, asgs }: View, kept: number): readonly Remark[] => [
  ...aboutMembers('detached', news?.detached),
  ...aboutMembers('advice-not-followed', news?.adviceNotFollowed),
  ...aboutMembers('advice-over-budget', news?.adviceOverBudget),
  ...aboutMembers('put-back', news?.putBack),
  // All are named, because `explain` finds them there.
  ...aboutMembers('serves', news?.serves, mostArriving),
  ...(news?.failedBoots ?? []).map(aboutBoots),
  ...(news?.givenUp ?? []).map(aboutGivenUp),
  ...(news?.breakers ?? []),
  ...(kept === (state.keptByMinimum ?? 0) || kept === 0
    ? []
    : [
        {
          code: 'kept-by-minimum' as const,
          count: kept,
          asgs: asgs.filter(keepsSome).map(({ name, min }) => ({ asg: name, min })),
        },
      ]),
];

/** Facts that a look found and did not act on. A minimum that keeps members is reported when their number changes. */
export const remarks: Rule = {
  name: 'remarks',
  propose: ({ view }, { keptByMinimum = 0, spares, unplaced }) => ({
    remarks: [
      ...aboutUnfit(view),
      ...remarksOf(view, keptByMinimum),
      ...(unplaced === 0 && spares?.placed === 0 ? aboutSpares(view, spares.missing) : []),
    ],
  }),
};
