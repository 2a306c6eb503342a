import { wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import { inEveryGroup } from '../../every-group.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Policy } from '../../policy/policy.ts';
import { times } from '../../times.ts';
import { isHealthy, isTooYoung, isUnshown } from '../../told/leaving.ts';
import { type Delivery, isAlive, isProtected, type Life, leavesAtMs, stayAt } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** A message that names this member, among others perhaps. */
type About = { readonly life: Life; readonly told: Delivery };

/** The recommendations of EC2 about each member of a group, and the announcements of AWS Health. */
const messagesAbout = (chronicle: Chronicle, group: string): readonly About[] => {
  const announced = chronicle
    .of('delivered')
    .flatMap((told) => (told.told.about === 'maintenance' ? told.told.instances.map((instance) => ({ instance, told })) : []));
  return chronicle
    .livesIn(group)
    .flatMap((life) => [
      ...life.deliveries.filter(({ told }) => told.about === 'advice').map((told) => ({ life, told })),
      ...announced.filter(({ instance }) => instance === life.instance).map(({ told }) => ({ life, told })),
    ]);
};

const hourMs = 3_600_000;

/** Others of a group whose swaps for advice were written within the hour before a moment, or by a function that may have run at that moment. */
const claimedForAdvice = (chronicle: Chronicle, group: string, own: Life, untilMs: number): number =>
  chronicle
    .livesIn(group)
    .filter((life) => life !== own)
    .filter(({ claims }) =>
      claims.some(({ reason, atMs }) => reason === 'rebalance' && atMs > untilMs - hourMs - times.reactMs && atMs <= untilMs + times.reactMs),
    ).length;

const isFollowed = ({ mode, actsOnAdvice, advicePerHour }: Policy, { told }: Delivery, claimed: number): boolean =>
  mode === 'act' && (told.about !== 'advice' || (actsOnAdvice && claimed < advicePerHour));

/** Whether this message had to make its instance leave: it is young, its member serves and stays, and a policy in force acts on it, with room in its budget. */
const counts = (chronicle: Chronicle, group: string, { life, told }: About, untilMs: number): boolean => {
  const policies = chronicle.policiesIn(group, told.atMs - times.reactMs, untilMs);
  const { atMs } = told;
  return (
    policies.length === 1 &&
    [atMs, untilMs].every((oneMs) => chronicle.policyAt(group, oneMs) !== undefined) &&
    policies.every((policy) => isFollowed(policy, told, claimedForAdvice(chronicle, group, life, untilMs))) &&
    atMs - told.happenedAtMs < times.tickMs &&
    chronicle.groupAt(life, atMs) === group &&
    isAlive(life, untilMs) &&
    leavesAtMs(life, atMs) > untilMs &&
    !isProtected(life, atMs) &&
    chronicle.servesAt(life, atMs) &&
    life.stays.every(({ how }) => how !== 'standby' && how !== 'detached') &&
    life.refusedAtMs.length === 0 &&
    !isTooYoung(chronicle, life, told) &&
    !isUnshown(chronicle, life, told)
  );
};

/** When the function ended that received the message, if it let the message be deleted. AWS announces once, so no fault excuses that. EC2 may advise again. */
const deletedAtMs = (chronicle: Chronicle, { invocation, message, told }: Delivery): number | undefined => {
  const ended = chronicle.invocations.get(invocation)?.ended;
  if (ended === undefined || ended.error !== undefined || ended.again.includes(message)) return undefined;
  return told.about === 'advice' && !isHealthy(chronicle, invocation) ? undefined : ended.atMs;
};

const saysOf = ({ life: { instance }, told: { told } }: About): string =>
  told.about === 'advice' ? `EC2 advised to replace ${instance}` : `AWS announced that it will retire ${instance}`;

/** When a swap for advice that waits became history, although its member works on, its policy acts, and the budget had room for it. */
const withdrawnAtMs = (chronicle: Chronicle, group: string, life: Life): number | undefined =>
  life.calledOffAtMs.find((atMs) => {
    const last = life.claims.findLast((claim) => claim.atMs <= atMs);
    const fromMs = (life.claims[0]?.atMs ?? atMs) - times.reactMs;
    const policies = chronicle.policiesIn(group, fromMs, atMs);
    return (
      last?.state === 'waiting' &&
      last.reason === 'rebalance' &&
      atMs - last.atMs < hourMs - times.tickMs &&
      policies.length === 1 &&
      chronicle.policyAt(group, atMs) !== undefined &&
      policies.every(({ mode, advicePerHour }) => mode === 'act' && claimedForAdvice(chronicle, group, life, atMs) < advicePerHour) &&
      life.stays.every(({ how }) => how === undefined) &&
      [last.atMs, atMs].every((oneMs) => chronicle.groupAt(life, oneMs) === group) &&
      !wasLost(chronicle, group, fromMs, atMs)
    );
  });

export const advisedAreClaimed: Rule = {
  name: 'who EC2 advises to replace is claimed',
  meaning:
    'When a function that no fault met receives a rebalance recommendation for a member that serves, and a policy is in force that acts on such advice, the swap of this member is written by the end of that function. A budget has room for it while fewer others were claimed for advice within the hour than the policy says. Such a swap is not withdrawn while it waits, and the budget has room. That also holds for each member that an announcement of AWS Health names, whatever the policy says about advice, and whatever faults met a function that let the message be deleted.',
  broken: inEveryGroup((chronicle, group) => {
    const withdrawn = chronicle.livesIn(group).flatMap((life): readonly Broken[] => {
      const atMs = withdrawnAtMs(chronicle, group, life);
      if (atMs === undefined) return [];
      return [{ group, instance: life.instance, atMs, detail: `EC2 advised to replace ${life.instance}, and its swap is withdrawn` }];
    });
    const unclaimed = messagesAbout(chronicle, group).flatMap((about): readonly Broken[] => {
      const { life, told } = about;
      const untilMs = deletedAtMs(chronicle, told);
      if (untilMs === undefined) return [];
      const isClaimed = life.claims.some(({ atMs }) => atMs <= untilMs);
      if (isClaimed || stayAt(life, told.atMs)?.how !== undefined || !counts(chronicle, group, about, untilMs)) return [];
      return [{ group, instance: life.instance, atMs: untilMs, detail: `${saysOf(about)}, and it is not claimed` }];
    });
    return [...new Map([...unclaimed, ...withdrawn].toReversed().map((one) => [one.instance, one])).values()].toReversed();
  }),
};
