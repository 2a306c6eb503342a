import { metrics } from '../../../core/contract.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import { missingAfter } from '../../../core/group-state/answers.ts';
import { owedAfterDenial } from '../../../core/launch/give-back.ts';
import { againAtMs, isWorthALook } from '../../../core/times/again.ts';
import { gapsNow, groupsToTakeOver } from '../../../core/view/asg-ledger.ts';
import type { AsgView, View } from '../../../core/view/view.ts';
import type { Round, Run } from '../run.ts';
import { unlessRefused } from './unless-refused.ts';

type TakenOver = Decision['takeOver'][number];

/** A decision that lowers desired capacities. `again` decides anew, about another view of the same look. */
type Lowering = Pick<Round, 'decision' | 'view'> & { readonly again: (view: View) => Decision };

/**
 * The decision without the launches in place of these Auto Scaling groups, because they may still launch by themselves.
 * The next attempt to take them over comes after a quarter of the time for which they have been short.
 */
const without = (
  refused: readonly TakenOver[],
  { decision: wanted, view, again }: Lowering,
  nowMs: number,
): Decision => {
  const before = new Map(view.asgs.map(({ name, desired }) => [name, desired]));
  const left = refused.reduce((sum, { asg, desired }) => sum + (before.get(asg) ?? desired) - desired, 0);
  const placed = wanted.placements.reduce((sum, { count }) => sum + count, 0);
  const decision = again({ ...view, mayLaunch: Math.max(0, placed - left) });
  const sinceMs = Math.min(...refused.map(({ asg }) => view.state.asgGaps[asg]?.sinceMs ?? nowMs));
  const againMs = againAtMs(nowMs, sinceMs);
  const { takeOver, remarks = [] } = wanted;
  const wakeAtMs = Math.min(againMs, decision.wakeAtMs ?? againMs);
  return { ...decision, takeOver, remarks, ...(isWorthALook(againMs, nowMs) && { wakeAtMs }) };
};

/**
 * A view with a note of each gap that these lower desired capacities closed. Members that end later leave a new gap,
 * which their Auto Scaling group closes by itself.
 */
const withClosed = (view: View, lowered: readonly TakenOver[]): View => {
  const open = gapsNow({ ...view, asgs: asLowered(view.asgs, { lowered }) });
  const closed = lowered.flatMap(({ asg }) => {
    const noted = view.state.asgGaps[asg];
    return noted === undefined || open[asg] ? [] : [[asg, { ...noted, closed: true as const }] as const];
  });
  const asgGaps = { ...view.state.asgGaps, ...Object.fromEntries(closed) };
  return { ...view, state: { ...view.state, asgGaps } };
};

/**
 * Lowers desired capacities, so that Auto Scaling groups do not refill themselves when we launch in their place. A
 * group that has launched meanwhile, or whose desired capacity cannot be lowered now, still refills itself. The
 * decision that is returned has no launches in its place, and all others. `after`: the view to make it binding with.
 */
export const takeOver = async (
  { group, provider, ports }: Run,
  lowering: Lowering,
): Promise<{ readonly decision: Decision; readonly lowered: readonly TakenOver[]; readonly after: View }> => {
  const [refused, lowered]: [TakenOver[], TakenOver[]] = [[], []];
  for (const one of lowering.decision.takeOver) {
    const answer = await provider.takeOver(one.asg, one.desired);
    (answer === 'done' ? lowered : refused).push(one);
    if (answer !== 'denied') continue;
    ports.telemetry.count(metrics.actionsFailed);
    ports.telemetry.logger.error('A desired capacity could not be lowered: nothing is launched in its place.', {
      group: group.name,
      ...one,
    });
  }
  const decision = refused.length === 0 ? lowering.decision : without(refused, lowering, ports.clock.now());
  return { decision, lowered, after: withClosed(lowering.view, lowered) };
};

/**
 * Auto Scaling groups of a look from before a round, with the desired capacities that the round lowered. Another
 * function that sees the lowered ones drops the notes of the gaps. Without these notes, the old ones say that the
 * groups still refill themselves.
 */
export const asLowered = (asgs: readonly AsgView[], { lowered = [] }: Pick<Round, 'lowered'>): readonly AsgView[] => {
  const desiredOf = new Map(lowered.map(({ asg, desired }) => [asg, desired]));
  return asgs.map((asg) => ({ ...asg, desired: desiredOf.get(asg.name) ?? asg.desired }));
};

/**
 * How many of the members that may get no launch the decision has left to Auto Scaling groups. These are short, and
 * want them still after some of them were lowered.
 */
const leftToAsgs = (
  { view, decision: { uncovered = 0 } }: Round,
  lowered: ReadonlyMap<string, { readonly from: number }>,
): number => {
  const kept = groupsToTakeOver(view).map(
    ({ asg, desired, lowers }) => (lowered.get(asg)?.from ?? desired + lowers) - desired,
  );
  return Math.min(
    uncovered,
    kept.reduce((sum, count) => sum + count, 0),
  );
};

/**
 * Raises desired capacities again that were lowered for launches that failed, in this run or before it. Their Auto
 * Scaling groups then launch by themselves.
 */
export const giveBack = async (run: Run, rounds: readonly Round[]): Promise<void> => {
  const raise = async (asg: string, change: { readonly from: number; readonly to: number }): Promise<void> => {
    const problem = 'A desired capacity could not be raised again: its Auto Scaling group launches nothing itself.';
    await unlessRefused(run, { problem, about: { asg, ...change } }, run.provider.giveBack(asg, change), undefined);
  };
  const last = rounds.at(-1);
  if (last === undefined) return;
  let missing = last.decision.unplaced + missingAfter(last.launched);
  const lowered = rounds.flatMap(({ decision, view }) =>
    decision.takeOver.map(({ asg, desired }) => ({
      asg,
      from: desired,
      before: view.asgs.find(({ name }) => name === asg)?.desired ?? desired,
    })),
  );
  // A later round sees what an earlier one lowered: the first one knows the size from before.
  const firsts = new Map(lowered.toReversed().map(({ asg, before }) => [asg, before]));
  const byAsg = new Map(lowered.map((one) => [one.asg, { ...one, before: firsts.get(one.asg) ?? one.before }]));
  let uncovered = Math.max(0, missing - leftToAsgs(last, byAsg));
  for (const { asg, from, before } of byAsg.values()) {
    const to = Math.min(before, from + uncovered);
    if (to > from) await raise(asg, { from, to });
    uncovered -= to - from;
    missing -= to - from;
  }
  const untouched = { ...last.view, state: last.state };
  for (const { asg, from, to } of owedAfterDenial(untouched, missing, new Set(lowered.map((one) => one.asg))))
    await raise(asg, { from, to });
};
