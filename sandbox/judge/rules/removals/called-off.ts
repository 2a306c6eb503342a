import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { type SwapWrite, swapWrites } from '../../said/swap-writes.ts';
import { times } from '../../times.ts';
import { isHindered, look, type Way, ways } from '../../told/hindrance.ts';
import type { Life } from '../../world/life.ts';
import { wasDisturbed } from '../../world/restores.ts';

type Broken = Omit<Finding, 'rule'>;

/** A try comes after as long as the member has been wanted, so the one that calls the removal off may come at twice that time. */
const calledOffWithinMs = 2 * times.bothLagMs + times.tickMs + times.messageAgainMs + times.reactMs;

/** The drain has to start and to read. Whether Auto Scaling then ends the member is another matter. */
const drainBegins: Way = ways(look, { calls: { states: ['StartExecution'] } });

/** Whether one call takes members of this group out of service, and nothing else happens to the group. */
const isPlain = (chronicle: Chronicle, group: string, { warnings, hooks, advisedAtMs }: Life, fromMs: number, untilMs: number): boolean => {
  const policies = chronicle.policiesIn(group, fromMs, untilMs);
  return (
    untilMs <= chronicle.history.endedAtMs &&
    policies.length > 0 &&
    policies.every(({ mode, targetGroups, asg }) => mode === 'act' && asg !== undefined && targetGroups.length === 0) &&
    chronicle.policyAt(group, untilMs) !== undefined &&
    warnings.length + hooks.length + advisedAtMs.length === 0 &&
    !isHindered(chronicle, drainBegins, fromMs, untilMs) &&
    !wasDisturbed(chronicle, untilMs)
  );
};

const isChosen = ({ swap: { reason, state } }: SwapWrite): boolean => reason === 'scale-in' && state === 'leaving';

/** A member that was chosen as a surplus, and whose swap says for too long that it leaves. */
const keptWaiting = (chronicle: Chronicle, instance: string, writes: readonly SwapWrite[]): readonly Broken[] => {
  const life = chronicle.life(instance);
  const [chosen, ...later] = writes;
  if (life === undefined || chosen === undefined || !isChosen(chosen)) return [];
  const untilMs = chosen.atMs + calledOffWithinMs + chronicle.times.asgLagMs + 2 * chronicle.times.clockMs;
  const isOver = later.some((write) => write.atMs <= untilMs && !isChosen(write)) || life.calledOffAtMs.some((atMs) => atMs <= untilMs);
  if (isOver || !isPlain(chronicle, chosen.group, life, chosen.atMs, untilMs)) return [];
  const seconds = Math.round((untilMs - chosen.atMs) / 1_000);
  return [
    {
      group: chosen.group,
      instance,
      atMs: untilMs,
      detail: `${instance} was chosen to leave as a surplus, and neither left nor stays after ${seconds} s`,
    },
  ];
};

export const removalsAreCalledOff: Rule = {
  name: 'a removal that AWS does not carry out is called off',
  meaning:
    'When a member of an Auto Scaling group was chosen as a surplus, and Auto Scaling does not end it, its removal is called off after 45 seconds, with the next try: within a minute and a half, and a tick. The rule is about groups whose policies name no target groups, while nothing hinders looks and the start of drains.',
  broken: (chronicle) => [...swapWrites(chronicle)].flatMap(([instance, writes]) => keptWaiting(chronicle, instance, writes)),
};
