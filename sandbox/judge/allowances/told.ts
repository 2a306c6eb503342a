import { type Chronicle, stays } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { headcountAt } from '../members/staying.ts';
import { nothingOpen } from '../rules/rest.ts';
import { toldOnTheBus } from '../rules/said/announced.ts';
import { shortUntold } from '../rules/said/announced-shortfalls.ts';
import { hasDied } from '../told/leaving.ts';
import { isFunction, type Life, warnedAtMs } from '../world/life.ts';

/** A function sends the event of a claim as soon as the claim is written. It repeats a throttled call to the bus for less than this time. */
const sentWithinMs = 10_000;

type FunctionCall = ReturnType<typeof mutatingIn>[number];

const mutatingIn = ({ of }: Chronicle, invocation: string) => of('called').filter((call) => call.invocation === invocation && call.isMutating);

const metFault = ({ outcome, trouble }: FunctionCall): boolean => outcome !== 'ok' && trouble !== undefined;

const isDead = (chronicle: Chronicle, invocation: string, untilMs?: number): boolean =>
  chronicle.invocations.get(invocation)?.ended === undefined || hasDied(chronicle, invocation, untilMs);

/** Whether a call was given up, because no call of its kind succeeded afterwards. After a call without a response, this is not certain. */
const isGivenUp = (call: FunctionCall, calls: readonly FunctionCall[]): boolean =>
  metFault(call) &&
  (call.applied || !calls.some((later) => later.service === call.service && later.outcome === 'ok' && later.askedAtMs > call.askedAtMs));

/**
 * Whether the function died soon after the claim, or one of its writes to the state table or to the bus failed. Then it did not know whether it had claimed, or
 * it could not send.
 */
const couldNotSendClaim = (chronicle: Chronicle, invocation: string, claimedMs: number): boolean => {
  const untilMs = claimedMs + sentWithinMs;
  const calls = mutatingIn(chronicle, invocation).filter(
    ({ service, askedAtMs }) => ['dynamodb', 'events'].includes(service) && askedAtMs <= untilMs,
  );
  return isDead(chronicle, invocation, untilMs) || calls.some((call) => isGivenUp(call, calls));
};

/** Whether the function died, or a fault hit one of its writes. */
const couldNotTell = (chronicle: Chronicle, invocation: string): boolean =>
  isDead(chronicle, invocation) || mutatingIn(chronicle, invocation).some(metFault);

export const claimedUnderFault: Allowance = {
  name: 'a fault met the function that had to send the event',
  excuses: toldOnTheBus.name,
  trouble:
    'A fault was injected into the function that claimed the swap, or that fell back, before it had sent the event. For the event about a claim, the fault killed the function within ten seconds, or no later call of the function to the state table or to the event bus succeeded, or such a call was applied without a response.',
  reaches: 'The swap that this very function claimed, and its own fallback.',
  reason: 'Holdfast acts first and sends the event afterwards, once. A swap that goes on matters more than its event.',
  covers: ({ instance = '', invocation }, chronicle) => {
    if (invocation !== undefined) return couldNotTell(chronicle, invocation);
    const claim = chronicle.life(instance)?.claims[0];
    return claim !== undefined && isFunction(claim.by) && couldNotSendClaim(chronicle, claim.by.invocation, claim.atMs);
  },
};

/** EC2's buckets of CreateFleet and of launched instances, "Request throttling for the Amazon EC2 API". */
const fleetBucket = { holds: 50, perSecond: 5 } as const;
const instanceBucket = { holds: 1_000, perSecond: 2 } as const;
/** Calls that follow within this time waited in line. */
const lineMs = 10_000;
/** No call waits in line for longer, because the bucket refills three times within this time. */
const inLineMs = 30_000;

const fleetCalls = (chronicle: Chronicle) => chronicle.of('called').filter(({ operation }) => operation === 'CreateFleet');

type Bucket = { readonly holds: number; readonly perSecond: number };

/** What is left in a bucket, by the times in order at which one token each was taken. */
const tokensAt = ({ holds, perSecond }: Bucket, takenMs: readonly number[], atMs: number): number => {
  const refilled = (tokens: number, ms: number): number => Math.min(holds, tokens + (ms / 1_000) * perSecond);
  const last = takenMs
    .filter((ms) => ms <= atMs)
    .reduce(({ tokens, sinceMs }, ms) => ({ tokens: Math.max(0, refilled(tokens, ms - sinceMs) - 1), sinceMs: ms }), {
      tokens: holds,
      sinceMs: 0,
    });
  return refilled(last.tokens, atMs - last.sinceMs);
};

const within = (times: readonly number[], fromMs: number, ms: number): readonly number[] =>
  times.filter((atMs) => atMs > fromMs && atMs <= fromMs + ms);

/** Whether a bucket held less than was taken right after this moment. */
const isScarce = (bucket: Bucket, takenMs: readonly number[], atMs: number): boolean =>
  tokensAt(bucket, takenMs, atMs) < within(takenMs, atMs, lineMs).length;

export const waitsInLine: Allowance = {
  name: 'a group waits for its turn at the account’s bucket',
  excuses: toldOnTheBus.name,
  trouble:
    'EC2 lets an account make 50 calls of CreateFleet, then five a second; and launch 1,000 instances, then two a second. Many groups launch at once, or a large one.',
  reaches:
    'A group that was refused capacity while one of these buckets held fewer tokens than calls or launched instances followed within ten seconds, and that requests more within 30 seconds.',
  reason: 'It is short because it waits for its turn, and not because no capacity is left. Its decision says so.',
  covers: ({ group = '', invocation, detail }, chronicle) => {
    if (!detail.endsWith(shortUntold)) return false;
    const refusals = chronicle.of('refused').filter((one) => one.invocation === invocation && one.group === group);
    const refusedMs = Math.max(...refusals.map(({ atMs }) => atMs));
    const calls = fleetCalls(chronicle);
    const callsMs = calls.map(({ askedAtMs }) => askedAtMs);
    const launchesMs = chronicle.lives.map(({ launchedAtMs }) => launchedAtMs).toSorted((a, b) => a - b);
    const isInLine = isScarce(fleetBucket, callsMs, refusedMs) || isScarce(instanceBucket, launchesMs, refusedMs);
    const ownMs = calls.flatMap(({ launch, askedAtMs }) => (launch?.group === group ? [askedAtMs] : []));
    return isInLine && within(ownMs, refusedMs, inLineMs).length > 0;
  },
};

/** Only a warning takes it, and no function has received a message about it since. */
const isTakenUnheard = (life: Life, atMs: number): boolean =>
  !stays(life, atMs) &&
  stays({ ...life, warnings: [] }, atMs) &&
  !life.deliveries.some((delivery) => delivery.atMs >= warnedAtMs(life) && delivery.atMs <= atMs);

export const shortUnheard: Allowance = {
  name: 'nobody could know that the group is short',
  excuses: toldOnTheBus.name,
  trouble: 'The warning of a member was lost or is late: no message about it has reached a function.',
  reaches: 'A look that was refused capacity and ended before such a message came, if the group is not short with these members.',
  reason: 'As far as this look knows, all members of the size are there. It moves members, and finds no shortage when it is refused.',
  covers: ({ group = '', atMs, detail }, chronicle) => {
    if (!detail.endsWith(shortUntold)) return false;
    const unheard = chronicle.membersAt(group, atMs).filter((life) => isTakenUnheard(life, atMs));
    const { staying, waiting } = headcountAt(chronicle, group, atMs);
    return unheard.length > 0 && staying.length + waiting.length + unheard.length >= Math.max(...chronicle.desiredIn(group, atMs, atMs));
  },
};

/** A user whose call is throttled tries again. */
const stoppedWithinMs = 30_000;

export const stoppedByHand: Allowance = {
  name: 'a user stopped the drain',
  excuses: nothingOpen.name,
  trouble: 'A user stops executions of the drain workflow by hand.',
  reaches: 'Drains that were aborted at that moment.',
  reason: 'What a user stops is stopped. Another drain takes over its members.',
  covers: ({ detail, atMs }, chronicle) =>
    detail.endsWith(': aborted') &&
    chronicle.of('step').some((step) => step.step === 'drains-stopped' && step.atMs <= atMs + 1_000 && atMs - step.atMs < stoppedWithinMs),
};
