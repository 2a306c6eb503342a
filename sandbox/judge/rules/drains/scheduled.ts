import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { actsSince, wasIdle } from '../../policy/modes.ts';
import { draining, health, isHindered, launching, look, type Way, ways } from '../../told/hindrance.ts';
import { goneAtMs, isAlive, isFunction, isProtected, type Life } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** A window that begins sooner may find members that wait for their turn. */
const aheadMs = 900_000;

/** The event that announces it, looks, a launch that serves, and a drain. */
const wayOfReplacing: Way = { ...ways(look, health, launching, draining), events: 'needed' };

/** Nothing else happened to its group, and no fault hindered that. */
const isPlain = (chronicle: Chronicle, group: string, life: Life, fromMs: number, untilMs: number): boolean =>
  untilMs <= chronicle.history.endedAtMs &&
  isAlive(life, fromMs) &&
  !isProtected(life, untilMs) &&
  life.warnings.length + life.hooks.length + life.refusedAtMs.length === 0 &&
  !isHindered(chronicle, wayOfReplacing, fromMs, untilMs) &&
  chronicle.policiesIn(group, fromMs, untilMs).length === 1 &&
  !chronicle.of('refused').some(({ atMs }) => atMs >= fromMs - aheadMs && atMs <= untilMs) &&
  !chronicle.of('step').some(({ step, atMs }) => step !== 'retirement-scheduled' && atMs >= fromMs && atMs <= untilMs) &&
  !wasIdle(chronicle, group, fromMs, untilMs);

export const replacedBeforeWindow: Rule = {
  name: 'what AWS will retire is replaced before',
  meaning:
    'AWS may announce at least a quarter of an hour ahead that it will retire a member. If nothing else happens to the group, Holdfast has replaced and ended this member when that time comes. Where the group was paused or observed at the announcement, the quarter of an hour counts from when the group acts.',
  broken: (chronicle) =>
    chronicle.lives.flatMap((life) =>
      life.scheduled.flatMap(({ atMs, startsAtMs }): readonly Broken[] => {
        const group = chronicle.groupAt(life, atMs);
        if (group === undefined) return [];
        // What is announced while the group does not act is followed once it does.
        const fromMs = Math.max(atMs, actsSince(chronicle, group, startsAtMs));
        if (startsAtMs - fromMs < aheadMs || !isPlain(chronicle, group, life, fromMs, startsAtMs)) return [];
        const isLet = goneAtMs(life) < startsAtMs && (isFunction(life.ending?.by) || life.stays.some(({ how }) => how === 'terminating'));
        return isLet
          ? []
          : [{ group, instance: life.instance, atMs: startsAtMs, detail: `${life.instance} is retired now, and was not replaced before` }];
      }),
    ),
};
