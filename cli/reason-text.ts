import type { OverOffering } from '../core/breaker/breaker.ts';
import type { Against, PlacementReason, RemovalRank, RemovalReason, Turn } from '../core/decision/decision.ts';
import type { Cause, Overtaken, SizeChange } from '../core/decision/decision-record.ts';
import type { Adjustment } from '../core/group/group.ts';
import type { Cost } from '../core/observe/not-done.ts';
import type { AtShare, ShareOf } from '../core/placement/shares.ts';
import { parseOfferingKey } from '../core/pool/offering.ts';
import { neverServedCode } from '../core/pool-memory/boot-memory.ts';
import { takenAtOnceCode } from '../core/pool-memory/pool-memory.ts';
import { timeText } from './time.ts';

const offeringText = (key: string): string => {
  const offering = parseOfferingKey(key);
  return offering === undefined ? key : `${offering.instanceType} in ${offering.zone}`;
};

const priceText = (usd: number | undefined): string => (usd === undefined ? 'an unknown price' : `${usd} USD per hour`);

const turnText = (turn: Turn): string => {
  switch (turn.kind) {
    case 'tiered':
      return `tiered: tier ${turn.tier} of ${turn.of}`;
    case 'spread':
      return `spread by ${turn.by}: ${turn.name} has the fewest members (${turn.held})`;
    case 'weighted':
      return `weighted: ${turn.name} is ${turn.belowShare.toFixed(1)} below its share`;
    case 'cheapest':
      return `cheapest: ${turn.name} at ${priceText(turn.priceUsdPerHour)}`;
  }
};

/** How the tree chose a placement. */
export const placementText = ({ turns, lastResort, owed, spare, prose }: PlacementReason): string => {
  const turned = prose ?? (turns.length === 0 ? 'the only pool' : turns.map(turnText).join('; '));
  const tree = spare ? `above the size, on spot alone: ${turned}` : turned;
  const way =
    owed === undefined ? tree : `the policy asks for ${owed.onDemand} on demand, the group has ${owed.held}: ${tree}`;
  if (lastResort === 'refused')
    return `requested again although it rests after a refusal, because nothing else is eligible: ${way}`;
  if (lastResort === 'trial') return `one launch tests whether the breaker can be closed: ${way}`;
  if (lastResort === 'breaker') return `used although its breaker is open, because nothing else takes launches: ${way}`;
  return lastResort ? `last resort, nothing better in its tier is eligible: ${way}` : way;
};

/** EC2's messages begin with their code. */
export const whyText = ({ awsCode, awsMessage }: { readonly awsCode: string; readonly awsMessage: string }): string =>
  awsMessage.startsWith(awsCode) ? awsMessage : `${awsCode}: ${awsMessage}`;

const shareText = (of: ShareOf): string => (of === 'instance-type' ? 'instance type' : of);

const atShareText = ({ offering, of, held, most }: AtShare): string =>
  `${offeringText(offering)}: its ${shareText(of)} has ${held} members, maxShare allows ${most}`;

const comesLast = (untilMs: number): string => `comes last in its tier until ${timeText(untilMs)}`;

const breakerTexts: Readonly<Record<OverOffering['is'], string>> = {
  open: 'is open until',
  tried: 'is tested by one launch until',
  'half-open': 'is half-open; without a test launch it closes at',
};

const breakerText = ({ breaker, is, untilMs }: OverOffering): string =>
  `the breaker of ${breaker} ${breakerTexts[is]} ${timeText(untilMs)}`;

const refusalText = (awsCode: string): string =>
  awsCode === takenAtOnceCode ? 'was launched twice and taken back at once' : `was refused (${awsCode})`;

/** Why a pool or an offering could not be used. */
export const againstText = (against: Against): string => {
  switch (against.code) {
    case 'at-cap':
      return `has ${against.held} members, its cap is ${against.cap}`;
    case 'at-maximum':
      return `has ${against.held} members, the maximum size of its Auto Scaling group is ${against.max}`;
    case 'asg-gone':
      return `there is no Auto Scaling group ${against.asg} any more`;
    case 'no-offering':
      return 'has no offering at this place of the tree';
    case 'over-price':
      return (
        `${offeringText(against.offering)} costs ${priceText(against.priceUsdPerHour)}, ` +
        `above the limit of ${against.limitUsdPerHour}`
      );
    case 'refused':
      return (
        `${offeringText(against.offering)} ${refusalText(against.awsCode)} ` +
        `and rests until ${timeText(against.untilMs)}`
      );
    case 'boots-failed':
      return (
        `its instances ${against.awsCode === neverServedCode ? 'never served' : 'ended before they served'} ` +
        `(${whyText(against)}), so it rests until ${timeText(against.untilMs)}`
      );
    case 'denied':
      return `a launch was denied (${whyText(against)}), so the next request is at ${timeText(against.untilMs)}`;
    case 'advised':
      return `${offeringText(against.offering)} is at risk (rebalance advice) and ${comesLast(against.untilMs)}`;
    case 'interrupted':
      return `${offeringText(against.offering)} was interrupted and ${comesLast(against.untilMs)}`;
    case 'at-share':
      return atShareText(against);
    case 'breaker':
      return `${offeringText(against.offering)}: ${breakerText(against)}`;
    case 'more-offerings':
      return `and ${against.count} more`;
    case 'prose':
      return against.text;
  }
};

const rankText = (rank: RemovalRank): string => {
  switch (rank.order) {
    case 'dearest-first':
      return rank.aboutUsdPerHour === undefined
        ? 'dearest first: price unknown'
        : `dearest first: about ${rank.aboutUsdPerHour} USD per hour`;
    case 'oldest-first':
      return `oldest first: launched ${timeText(rank.launchedAtMs)}`;
    case 'newest-first':
      return `newest first: launched ${timeText(rank.launchedAtMs)}`;
    case 'same-order':
      return 'same order: the tree would place this member last';
  }
};

/** Why Holdfast removed a member by its own choice. */
export const removalText = (why: RemovalReason): string => {
  switch (why.code) {
    case 'surplus':
      return [
        'above the desired size',
        ...(why.unhealthy ? ['unhealthy'] : []),
        ...(why.overShare ? [`its ${shareText(why.overShare)} holds more than maxShare allows`] : []),
        rankText(why.rank),
      ].join('; ');
    case 'return':
      return `its replacement serves in a better place${why.pool === undefined ? '' : `: ${why.pool}`}`;
    case 'stand-in':
      return `a member above the size takes its place and serves in a better one: ${why.pool}`;
    case 'stray':
      return (
        'it has the tags of the group, but no reservation and no pool explains it; ' +
        `seen ${why.sightings} times since ${timeText(why.firstSeenAtMs)}`
      );
    case 'prose':
      return why.text;
  }
};

const namedAtMost = 3;

export const someText = (instances: readonly string[], count: number): string => {
  const named = instances.slice(0, namedAtMost);
  return `${named.join(', ')}${count > named.length ? ` and ${count - named.length} more` : ''}`;
};

/** Causes with more fields than their kind and their instances. Each has a text of its own. */
type Telling<C extends Cause> = C extends Cause
  ? [Exclude<keyof C, 'code' | 'instances' | 'count'>] extends [never]
    ? never
    : C
  : never;

const plainText = (cause: Exclude<Cause, Telling<Cause>>): string =>
  'instances' in cause ? `${cause.code} (${someText(cause.instances, cause.count)})` : cause.code;

/** The tick of the minute, or a look that an earlier one requested. */
export const plannedLook = 'a planned look';

/** Only known codes of refusals are read. The whole text is in the group's activities. */
const launchCodeText = (awsCode: string): string =>
  awsCode === 'unknown' ? 'no refusal for lack of capacity: its scaling activities have the reason' : awsCode;

/** What caused a decision. */
export const causeText = (cause: Cause): string => {
  switch (cause.code) {
    case 'state-change':
      return `instance ${cause.state} (${someText(cause.instances, cause.count)})`;
    case 'launch-unsuccessful':
      return `the Auto Scaling group ${cause.asg} could not launch by itself (${launchCodeText(cause.awsCode)})`;
    case 'alarm':
      return cause.state === undefined ? `alarm ${cause.alarm}` : `alarm ${cause.alarm}: ${cause.state}`;
    case 'drain-stopped':
      return `somebody stopped the drain ${cause.drain}`;
    case 'policy-change':
      return 'the policy was written';
    case 'tick':
      return plannedLook;
    case 'prose':
      return cause.text;
    default:
      return plainText(cause);
  }
};

const adjustText = ({ kind, by }: Adjustment): string => `${by > 0 ? '+' : ''}${by}${kind === 'percent' ? ' %' : ''}`;

const distanceText = (fromThreshold: number | undefined): string =>
  fromThreshold === undefined
    ? ''
    : ` (${Number(Math.abs(fromThreshold).toPrecision(6))} ${fromThreshold < 0 ? 'below' : 'above'} its threshold)`;

/** How the desired size changed. */
export const sizeText = (change: SizeChange): string => {
  switch (change.code) {
    case 'policy':
      return `desired ${change.from} → ${change.to} by the policy`;
    case 'caught-up':
      return `desired ${change.from} → ${change.to}: the stored state was older than the members`;
    case 'outside':
      return `desired ${change.from} → ${change.to} because others set the Auto Scaling group's desired capacity`;
    case 'schedule':
      return `desired ${change.from} → ${change.to} by the schedule: ${change.at} (${change.timezone})`;
    case 'alarm':
      return change.from === change.to
        ? `desired stays ${change.to}, the bound of the policy: alarm ${change.alarm}, ${adjustText(change.adjust)}`
        : `desired ${change.from} → ${change.to} by ${adjustText(change.adjust)} of alarm ${change.alarm}` +
            distanceText(change.fromThreshold) +
            (change.lasts ? `, in ALARM since ${timeText(change.atMs)}` : '');
    case 'alarm-cooling':
      return `alarm ${change.alarm} did not act: its cooldown lasts until ${timeText(change.untilMs)}`;
    case 'alarm-late':
      return `alarm ${change.alarm} did not act: it went off at ${timeText(change.atMs)}, more than an hour before`;
    case 'alarm-quiet':
      return `alarm ${change.alarm} did not act: its actions are ${change.why}`;
  }
};

/** Why a decision was not carried out. */
export const overtakenText = (overtaken: Overtaken): string =>
  `not carried out: ${whatCameFirst(overtaken)}, and the group was looked at again`;

const whatCameFirst = (overtaken: Overtaken): string => {
  switch (overtaken.by) {
    case 'state':
      return `another write came after version ${overtaken.readVersion} of the group's state`;
    case 'policy':
      return `policy version ${overtaken.policyVersion} came into force`;
    case 'claims':
      return `${overtaken.count} more members were reported to leave (${overtaken.instances.join(', ')})`;
  }
};

/** A cost, and how much of it is known. */
export const costText = ({ usdPerHour, priced, of }: Cost): string =>
  of === 0 ? 'nothing' : `${usdPerHour} USD per hour (${priced} of ${of} at known prices)`;
