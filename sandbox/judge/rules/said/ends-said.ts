import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Actor } from '../../history.ts';
import { lookedSince } from '../../members/staying.ts';
import { isMap, type Json, mapsOf, textOf, textsOf } from '../../read-json.ts';
import { decisionWrite } from '../../said/decision-writes.ts';
import { isUnshown } from '../../told/leaving.ts';
import { isUnowned } from '../../told/unowned.ts';
import { goneAtMs, isFunction, type Life } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** States in which an instance has ended, or is about to. */
const over = new Set(['shutting-down', 'terminated', 'stopping', 'stopped']);

/** Whether a describe of this function may still have shown an instance as stopped that its Auto Scaling group had started from its warm pool. */
const isShownStopped = (chronicle: Chronicle, { drawnAtMs }: Life, by: Actor, atMs: number): boolean =>
  drawnAtMs !== undefined && drawnAtMs <= atMs && drawnAtMs > lookedSince(chronicle, by, atMs) - chronicle.times.lagMs;

const wrongIn = (chronicle: Chronicle, { group, id, view }: Json): readonly Broken[] => {
  const write = decisionWrite(chronicle, textOf(group), textOf(id));
  if (!isMap(view) || write === undefined || !isFunction(write.by)) return [];
  const { invocation } = write.by;
  const about = { group: textOf(group), atMs: write.atMs };
  return textsOf(view.ended).flatMap((instance): readonly Broken[] => {
    const life = chronicle.life(instance);
    if (life !== undefined && isShownStopped(chronicle, life, write.by, write.atMs)) return [];
    if (life === undefined || goneAtMs(life) > write.atMs) return [{ ...about, detail: `decision ${textOf(id)} says that ${instance} has ended` }];
    const told = life.deliveries.filter((one) => one.invocation === invocation && !isUnshown(chronicle, life, one) && !isUnowned(chronicle, one));
    const heard = told.some((one) => one.told.about === 'state' && over.has(one.told.state ?? ''));
    return heard
      ? [{ ...about, detail: `decision ${textOf(id)} says that no signal reported the end of ${instance}, and its function received one` }]
      : [];
  });
};

export const endsAreTrue: Rule = {
  name: 'ends without a signal are true',
  meaning:
    'An instance that a decision names as ended without a signal has begun to end when the decision is stored, and the function of the decision received no message about its end. A message that comes again because AWS refused to show its instance or the groups does not count, and neither does one that came before every describe had to show it. An instance that its Auto Scaling group took from a warm pool counts as ended for as long as a late describe may show it as stopped.',
  broken: (chronicle) => mapsOf(chronicle.history.stored.decisions).flatMap((decision) => wrongIn(chronicle, decision)),
};
