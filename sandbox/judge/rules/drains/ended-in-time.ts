import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { type Choice, choicesOf } from '../../members/choices.ts';
import { wasIdle } from '../../policy/modes.ts';
import { draining, isHindered, look, telling, ways } from '../../told/hindrance.ts';
import { delayOf } from '../../told/leaving.ts';
import { goneAtMs, isFunction, type Life } from '../../world/life.ts';
import { wasDisturbed } from '../../world/restores.ts';

type Broken = Omit<Finding, 'rule'>;

const wayOfEnds = ways(look, draining, telling);

/** When Holdfast took it out of its last target group. */
const lastOutMs = ({ services }: Life): number =>
  Math.max(Number.NEGATIVE_INFINITY, ...services.flatMap(({ why, by, untilMs }) => (why === 'deregistered' && isFunction(by) ? [untilMs] : [])));

/** Members of one drain end together: the drain ends with the last of them. */
const besideIn = (chronicle: Chronicle, life: Life): readonly Life[] => {
  const drains = new Set(life.claims.flatMap(({ drain }) => drain ?? []));
  const beside = chronicle.lives.filter((one) => one.claims.some(({ drain }) => drain !== undefined && drains.has(drain)));
  return beside.length === 0 ? [life] : beside;
};

/** The longest time between two looks of a drain whose connections last for so long (core/drain/steps.ts), and the time for its last calls. */
const endedWithinMs = (drainMs: number): number => Math.max(15_000, drainMs / 60);

/** EC2 takes it, its Auto Scaling group ends it, its user protects it or put it back, or somebody stopped it: its end is no choice alone. */
const isPlain = (life: Life): boolean =>
  life.stays.length + life.warnings.length + life.hooks.length + life.restarts.length + life.refusedAtMs.length + life.backAtMs.length === 0 &&
  life.calledOffAtMs.length + life.forgottenAtMs.length + life.protections.length === 0;

const late = (chronicle: Chronicle, { life, group, chosenAtMs }: Choice): readonly Broken[] => {
  const { history, times: world } = chronicle;
  if (!isPlain(life) || life.services.length === 0) return [];
  const beside = besideIn(chronicle, life);
  const outMs = Math.max(...beside.map(lastOutMs));
  const timeouts = chronicle.policiesIn(group, chosenAtMs, outMs).map(({ drainTimeoutMs }) => drainTimeoutMs);
  const delayMs = delayOf(chronicle, [...new Set(beside.flatMap((one) => one.services.map(({ targetGroup }) => targetGroup)))]);
  const drainMs = Math.min(delayMs, Math.max(0, ...timeouts));
  const untilMs = outMs + drainMs + endedWithinMs(drainMs) + 2 * world.clockMs;
  const policies = chronicle.groups.get(group)?.policies ?? [];
  const isSame = policies.every(({ atMs }) => atMs < chosenAtMs || atMs > untilMs);
  if (
    goneAtMs(life) <= untilMs ||
    untilMs > history.endedAtMs ||
    !isSame ||
    wasDisturbed(chronicle, untilMs) ||
    wasIdle(chronicle, group, chosenAtMs, untilMs)
  )
    return [];
  if (isHindered(chronicle, wayOfEnds, chosenAtMs, untilMs)) return [];
  const afterS = Math.round((Math.min(goneAtMs(life), history.endedAtMs) - outMs) / 1_000);
  return [{ group, instance: life.instance, atMs: untilMs, detail: `${life.instance} runs on for ${afterS} s after it was taken out of service` }];
};

export const endedInTime: Rule = {
  name: 'a member that leaves by choice is ended soon after its connections',
  meaning:
    'A member that Holdfast takes out of service by its own choice is ended within 15 seconds after the deregistration delay or drain.timeout is over, of the last member of its drain. Where this time is longer than 15 minutes, a sixtieth of it counts instead of the 15 seconds. This rule is about members that no Auto Scaling group holds, and that nothing else happens to. It does not count where a fault hinders looks or drains, or where the policy changes.',
  broken: (chronicle) => choicesOf(chronicle).flatMap((choice) => late(chronicle, choice)),
};
