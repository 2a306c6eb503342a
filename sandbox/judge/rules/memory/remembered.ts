import type { HeardWarning } from '../../capacity/breaker.ts';
import { slackOf, wasLost } from '../../capacity/breaker.ts';
import { isOfSubnet, quotaCodes, type Refused, takenAtOnceCode } from '../../capacity/refusals.ts';
import type { Chronicle, Written } from '../../chronicle.ts';
import { inEveryGroup } from '../../every-group.ts';
import type { Finding, Rule } from '../../finding.ts';
import { asgsOf } from '../../policy/policy.ts';
import { offeringsOf } from '../../policy/pools.ts';
import type { StoredLesson } from '../../said/state-memory.ts';
import { times } from '../../times.ts';
import { firstTrueWarning } from '../../told/first-warnings.ts';
import { isHealthy } from '../../told/leaving.ts';
import { mostLosses, sameLossMs } from '../../told/losses.ts';
import { nameOf, type OfferingName } from '../../world/cloud.ts';
import { isFunction } from '../../world/life.ts';
import { isSurelyHeard } from '../bounds/breaker-openings.ts';
import { statesAfter, writtenIn } from './forgets.ts';

type Broken = Omit<Finding, 'rule'>;
/** Refusals in responses to this group's own requests. */
const refusedTo = (chronicle: Chronicle, group: string): readonly Refused[] =>
  chronicle.of('refused').filter((refused) => {
    if (isOfSubnet(refused) || refused.code.startsWith('InsufficientFreeAddresses')) return false;
    if (refused.group !== undefined) return refused.group === group;
    const policy = chronicle.policyAt(group, refused.atMs);
    return refused.asg !== undefined && policy !== undefined && asgsOf(policy).includes(refused.asg);
  });

/** Offerings that a refusal is about: a quota is about all of its market. */
const reachOf = (chronicle: Chronicle, group: string, refused: Refused): readonly OfferingName[] => {
  const policy = chronicle.policyAt(group, refused.atMs);
  if (!quotaCodes.has(refused.code) || policy === undefined) return [refused];
  return Object.values(policy.pools)
    .flatMap(offeringsOf)
    .filter(({ market }) => market === refused.market);
};

const gaveSince = (chronicle: Chronicle, offering: OfferingName, fromMs: number, untilMs: number): boolean =>
  chronicle.lives.some(
    (life) => isFunction(life.by) && nameOf(life) === nameOf(offering) && life.launchedAtMs > fromMs && life.launchedAtMs <= untilMs,
  );

const isKept = ({ memory }: Written, offering: OfferingName, refused: Refused, slackMs: number): boolean =>
  memory?.lessons.some(
    (one) => one.offering === nameOf(offering) && one.kind === 'refused' && one.coolingUntilMs >= refused.atMs + times.refusedRestMs - slackMs,
  ) !== false;

const lostRefusals = (chronicle: Chronicle, group: string): readonly Broken[] => {
  const slackMs = slackOf(chronicle);
  return refusedTo(chronicle, group).flatMap((refused): readonly Broken[] => {
    if (!isHealthy(chronicle, refused.invocation) || refused.isBesideWhole) return [];
    const states = statesAfter(chronicle, group, refused.atMs, refused.invocation).filter(
      ({ atMs }) => atMs < refused.atMs + times.refusedRestMs - slackMs,
    );
    return reachOf(chronicle, group, refused).flatMap((offering): readonly Broken[] => {
      const lost = states.find((state) => !isKept(state, offering, refused, slackMs) && !gaveSince(chronicle, offering, refused.atMs, state.atMs));
      return lost === undefined
        ? []
        : [{ group, atMs: lost.atMs, detail: `EC2 refused ${nameOf(offering)} (${refused.code}), and the state does not say so` }];
    });
  });
};

const restOf = ({ atMs, coolingUntilMs }: StoredLesson): number => coolingUntilMs - atMs;

/** Rests of an offering that EC2 may give again: each twice as long as the one before. */
const ladder = [0, 1, 2, 3, 4].map((step) => Math.min(times.longestRestMs, times.refusedRestMs * 2 ** step));

const isRefusal = ({ kind, code, offering }: StoredLesson): boolean =>
  kind === 'refused' && code !== takenAtOnceCode && !offering.startsWith('subnet/');

/** Addresses come back with every instance that ends. So a full subnet rests for as long each time. */
const isOfAddresses = ({ code }: StoredLesson): boolean => code.startsWith('InsufficientFreeAddresses');

/** When a lesson that follows another one must end. Undefined where the stored ones do not show it. */
const endsAfter = (before: StoredLesson | undefined, lesson: StoredLesson): number | undefined => {
  const { atMs } = lesson;
  if (before === undefined) return atMs + times.refusedRestMs;
  if (isOfAddresses(lesson)) return Math.max(isRefusal(before) ? before.coolingUntilMs : 0, atMs + times.refusedRestMs);
  const rung = ladder.indexOf(restOf(before));
  if (rung === -1 || !isRefusal(before)) return undefined;
  if (atMs < before.coolingUntilMs) return Math.max(before.coolingUntilMs, atMs + restOf(before));
  // A streak is forgotten half an hour after its rest.
  return atMs < before.coolingUntilMs + times.longestRestMs ? atMs + (ladder[rung + 1] ?? times.longestRestMs) : undefined;
};

/** A zone that does not sell a type rests for a day. */
const isForGood = (lesson: StoredLesson): boolean => restOf(lesson) > times.longestRestMs;

const offeringOf = ({ offering }: StoredLesson): OfferingName => {
  const [instanceType = '', zone = '', market] = offering.split('/');
  return { instanceType, zone, market: market === 'spot' ? 'spot' : 'on-demand' };
};

/** A rest that ends at another time than the lesson before it says, if EC2 gave nothing of the offering meanwhile: that would end the row. */
const wrongRest = (chronicle: Chronicle, before: StoredLesson | undefined, lesson: StoredLesson, state: Written): string | undefined => {
  if (before?.atMs === lesson.atMs || !isRefusal(lesson) || isForGood(lesson)) return undefined;
  const endsMs = endsAfter(before, lesson);
  if (endsMs === undefined || endsMs === lesson.coolingUntilMs) return undefined;
  if (before !== undefined && gaveSince(chronicle, offeringOf(lesson), before.atMs - slackOf(chronicle), state.atMs)) return undefined;
  const [rests, expected] = [restOf(lesson), endsMs - lesson.atMs].map((forMs) => Math.round(forMs / 1_000));
  return `${lesson.offering} rests for ${rests} s after a refusal, and not for ${expected} s`;
};

const wrongRests = (chronicle: Chronicle, group: string): readonly Broken[] => {
  const known = new Map<string, StoredLesson>();
  let last: Written | undefined;
  return (chronicle.groups.get(group)?.written ?? []).flatMap((state): readonly Broken[] => {
    // A user who writes the policy may have fixed what had failed.
    const isNew = last?.policyVersion !== state.policyVersion || writtenIn(chronicle, group, last.atMs, state.atMs);
    if (last === undefined || isNew || wasLost(chronicle, group, last.atMs, state.atMs)) known.clear();
    const isFirst = last === undefined || known.size === 0;
    last = state;
    return (state.memory?.lessons ?? []).flatMap((lesson): readonly Broken[] => {
      const before = known.get(lesson.offering);
      known.set(lesson.offering, lesson);
      const detail = isFirst ? undefined : wrongRest(chronicle, before, lesson, state);
      return detail === undefined ? [] : [{ group, atMs: state.atMs, detail }];
    });
  });
};

export const refusalsAreRemembered: Rule = {
  name: 'what EC2 refuses is remembered',
  meaning:
    'After EC2 refused an offering to a function that no fault met, the state of its group says so for three minutes, unless EC2 gives it before, or gave all that was requested and a part of it there. Where a quota was refused, it says so of every offering of that market. An offering rests for three minutes after its first refusal. Each refusal after a rest makes the next one twice as long, up to half an hour, and a refusal during a rest does not.',
  broken: inEveryGroup((chronicle, group) => [...lostRefusals(chronicle, group).slice(0, 1), ...wrongRests(chronicle, group).slice(0, 1)]),
};

const isLossKept = ({ memory }: Written, { life, atMs }: Pick<HeardWarning, 'life' | 'atMs'>, slackMs: number): boolean => {
  const own = memory?.losses.filter(({ offering }) => offering === nameOf(life));
  return own === undefined || own.length >= mostLosses || own.some((one) => one.atMs <= atMs + slackMs && one.latestMs >= atMs - slackMs);
};

/** Whether a lesson says that EC2 takes members of its offering. One about a refusal does only where it names a warning too. */
const saysTaken = ({ kind, code, interruptedAtMs }: StoredLesson): boolean =>
  kind !== 'refused' || code === takenAtOnceCode || interruptedAtMs !== undefined;

const lostWarnings = (chronicle: Chronicle, group: string): readonly Broken[] => {
  const slackMs = slackOf(chronicle);
  return chronicle.livesIn(group).flatMap((life): readonly Broken[] => {
    const first = life.market === 'spot' ? firstTrueWarning(life) : undefined;
    if (first === undefined) return [];
    const { atMs, invocation } = first;
    const one = { life, atMs };
    const policy = chronicle.policyAt(group, atMs);
    if (policy?.mode !== 'act' || !isSurelyHeard(chronicle, group, one, first)) return [];
    const states = statesAfter(chronicle, group, atMs, invocation);
    const rests = states.filter((state) => state.atMs < atMs + times.interruptedRestMs - slackMs);
    const unlearned = rests.find((state) => state.memory?.lessons.some((one) => one.offering === nameOf(life) && saysTaken(one)) === false);
    const unkept = policy.returning === undefined ? undefined : states.find((state) => !isLossKept(state, one, slackMs));
    const of = `EC2 took ${life.instance} of ${nameOf(life)}`;
    return [
      ...(unlearned === undefined ? [] : [{ group, atMs: unlearned.atMs, detail: `${of}, and the state does not say so` }]),
      ...(unkept === undefined ? [] : [{ group, atMs: unkept.atMs, detail: `${of}, and the state keeps no such loss` }]),
    ];
  });
};

const doubleLosses = (chronicle: Chronicle, group: string): readonly Broken[] =>
  (chronicle.groups.get(group)?.written ?? []).flatMap(({ memory, atMs }): readonly Broken[] => {
    const losses = memory?.losses ?? [];
    const twice = losses.find((one, index) =>
      losses.slice(index + 1).some((later) => later.offering === one.offering && Math.abs(later.atMs - one.atMs) < sameLossMs),
    );
    return twice === undefined ? [] : [{ group, atMs, detail: `the state counts losses of ${twice.offering} within three minutes twice` }];
  });

export const lossesAreRemembered: Rule = {
  name: 'what EC2 takes is remembered',
  meaning:
    'After EC2 warned about a member, and a function that no fault met received that, the state of its group says so of its offering for three minutes, also beside a refusal of the offering, and if EC2 gives it after that. A member may have ended by then, if its swap was written before. The state says so from the end of that function on, or, if the function wrote no state, at each look that begins after its end. Where the policy has `return`, the state keeps that loss. Losses of one offering within three minutes are one.',
  broken: inEveryGroup((chronicle, group) => [...lostWarnings(chronicle, group).slice(0, 1), ...doubleLosses(chronicle, group).slice(0, 1)]),
};
