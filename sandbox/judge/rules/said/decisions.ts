import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { eachSecond } from '../../moments.ts';
import { limitFor } from '../../policy/policy.ts';
import { inWords, reasonsSaid, type SaidAgainst, type SaidReasons, type SaidRefusal } from '../../said/decisions.ts';
import { times } from '../../times.ts';
import { nameOf, type OfferingName } from '../../world/cloud.ts';
import { wasGone } from '../../world/gone.ts';
import { covers, isAlive, type Life } from '../../world/life.ts';
import type { Told } from '../../world/message.ts';
import { runsAgainAt } from '../../world/runs.ts';

type Broken = Omit<Finding, 'rule'>;

/** A reason must have happened by this moment. */
type Said<Code extends SaidAgainst['code']> = Extract<SaidAgainst, { readonly code: Code }>;
type Until = { readonly group: string; readonly atMs: number };

const sameMoney = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6;

/** Whether EC2 ever refused this: the offering itself, its market or its zone in a request that named others, or the whole call. */
export const wasRefused = (chronicle: Chronicle, { offering, code }: SaidRefusal, atMs: number): boolean =>
  chronicle
    .of('refused')
    .some(
      (refused) =>
        refused.atMs <= atMs &&
        refused.code === code &&
        refused.market === offering.market &&
        (nameOf(refused) === nameOf(offering) || refused.zone === '' || refused.asg !== undefined || isOfAll(code, refused, offering)),
    ) ||
  chronicle.of('called').some(({ launch, outcome, askedAtMs }) => launch !== undefined && outcome === code && askedAtMs <= atMs) ||
  chronicle.lives.some((life) => life.ending?.code === code && nameOf(life) === nameOf(offering) && life.ending.atMs <= atMs);

const isOfSubnet = (code: string): boolean => code.startsWith('InsufficientFreeAddresses');

/** A quota is about a market, and a lack of addresses about a subnet. */
const isOfAll = (code: string, refused: OfferingName, offering: OfferingName): boolean =>
  isOfSubnet(code) ? refused.zone === offering.zone : code.endsWith('Exceeded');

/** A subnet without addresses takes no instance of either market. So an offering there is passed over after the refusal of another one. */
const isZoneFull = (chronicle: Chronicle, { offering, code }: SaidRefusal, atMs: number): boolean =>
  isOfSubnet(code) && chronicle.of('refused').some((refused) => refused.atMs <= atMs && refused.code === code && refused.zone === offering.zone);

const wasTaken = (chronicle: Chronicle, offering: OfferingName, atMs: number): boolean =>
  chronicle.lives.some(
    (life) =>
      nameOf(life) === nameOf(offering) &&
      (life.warnings.some((warning) => warning.atMs <= atMs) ||
        (life.ending?.by.kind === 'ec2' && life.ending.atMs <= atMs) ||
        life.deliveries.some(({ told, atMs: toldMs }) => told.about === 'warning' && toldMs <= atMs)),
  );

const wasAdvised = (chronicle: Chronicle, offering: OfferingName, atMs: number): boolean =>
  chronicle.lives.some((life) => nameOf(life) === nameOf(offering) && life.advisedAtMs.some((advisedMs) => advisedMs <= atMs));

const wasDear = (chronicle: Chronicle, { offering, pool: name, price, limit }: Said<'over-price'>, { group, atMs }: Until): boolean => {
  const prices = chronicle.cloud.pricesIn(offering, Number.NEGATIVE_INFINITY, atMs);
  return chronicle.policiesIn(group, Number.NEGATIVE_INFINITY, atMs).some(({ pools, onDemandPrices }) => {
    const pool = pools[name];
    if (pool === undefined || price <= limit || !sameMoney(limitFor(pool, offering.instanceType), limit)) return false;
    const listed = offering.market === 'spot' ? prices : [...prices, onDemandPrices[offering.instanceType] ?? Number.NaN];
    return listed.some((one) => sameMoney(one, price) || sameMoney(one * pool.priceFactor, price));
  });
};

const wasAtCap = (chronicle: Chronicle, { pool, held, cap }: Said<'at-cap'>, { group, atMs }: Until): boolean =>
  held >= cap && chronicle.policiesIn(group, Number.NEGATIVE_INFINITY, atMs).some(({ pools }) => pools[pool]?.cap === cap);

/** Whether the Auto Scaling group was deleted, and not created again so long before that every describe shows it. */
const wasAsgGone = (chronicle: Chronicle, { asg }: Said<'asg-gone'>, { atMs }: Until): boolean =>
  wasGone(chronicle, asg, atMs - times.reactMs - chronicle.times.asgLagMs - chronicle.times.clockMs, atMs);

/** Holdfast's own code for an offering whose launches EC2 takes at once. */
const takenAtOnceCode = 'Holdfast.TakenAtOnce';

type Truths = { readonly [Code in SaidAgainst['code']]: (chronicle: Chronicle, said: Said<Code>, until: Until) => boolean };

const truths: Truths = {
  refused: (chronicle, { offering, awsCode }, { atMs }) =>
    awsCode === takenAtOnceCode
      ? wasTaken(chronicle, offering, atMs)
      : wasRefused(chronicle, { offering, code: awsCode }, atMs) || isZoneFull(chronicle, { offering, code: awsCode }, atMs),
  interrupted: (chronicle, { offering }, { atMs }) => wasTaken(chronicle, offering, atMs),
  advised: (chronicle, { offering }, { atMs }) => wasAdvised(chronicle, offering, atMs),
  'over-price': wasDear,
  'at-cap': wasAtCap,
  'asg-gone': wasAsgGone,
};

/** The messages that bring each cause to a function. Causes that are not listed have several kinds of messages. */
const tellers: Readonly<Record<string, readonly Told['about'][]>> = {
  rebalance: ['advice'],
  'state-change': ['state'],
  alarm: ['alarm'],
  'launch-unsuccessful': ['launch-unsuccessful'],
  'drain-stopped': ['drain-stopped'],
  'policy-change': ['policy'],
};

/** When a decision was last written, and which messages its function was given. */
const writtenOf = (chronicle: Chronicle, { id, group }: SaidReasons) => {
  const writes = chronicle.of('item-written').filter((write) => write.group === group && write.item === `decision#${id}`);
  const told = writes.flatMap(({ by }) => (by.kind === 'function' ? (chronicle.invocations.get(by.invocation)?.deliveries ?? []) : []));
  return { atMs: writes.at(-1)?.atMs, told: new Set(told.map((one) => one.told.about)) };
};

/** Whether Holdfast may count a member as serving: without a target group it knows only that the instance runs. */
export const countsAt = (chronicle: Chronicle, life: Life, atMs: number): boolean => {
  if (chronicle.servesAt(life, atMs)) return true;
  const targets = chronicle.targetsOf(life, atMs);
  const isInService = targets.every((target) => life.services.some((service) => service.targetGroup === target && covers(service, atMs)));
  const runs = (life.runningAtMs ?? Number.POSITIVE_INFINITY) <= atMs && isAlive(life, atMs);
  return (targets.length === 0 && runs) || (isInService && runsAgainAt(life, atMs));
};

/** How many members served at some moment of a time in which a look may have read the health of its targets. */
const mostServing = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): number => {
  const seconds = eachSecond(fromMs, untilMs);
  return chronicle.livesIn(group).filter((life) => {
    // A member may serve for less than a second.
    const begins = life.services.map((service) => service.fromMs).filter((atMs) => atMs >= fromMs && atMs <= untilMs);
    return [...seconds, ...begins].some((atMs) => countsAt(chronicle, life, atMs));
  }).length;
};

/** How many members too many a look says to have found in service. */
const servingTooMany = (chronicle: Chronicle, { group, serving: { count, atMs } }: SaidReasons, writtenMs: number): number => {
  const { lagMs, asgLagMs, clockMs } = chronicle.times;
  const isPlain = chronicle.livesIn(group).filter((life) => countsAt(chronicle, life, atMs)).length >= count;
  if (Number.isNaN(count) || isPlain) return 0;
  return count - mostServing(chronicle, group, atMs - Math.max(lagMs, asgLagMs) - times.reactMs - clockMs, Math.min(atMs + clockMs, writtenMs));
};

const falseIn = (chronicle: Chronicle, said: SaidReasons): readonly Broken[] => {
  const { atMs, told } = writtenOf(chronicle, said);
  if (atMs === undefined) return [];
  const until = { group: said.group, atMs };
  const wrong = [
    ...said.against.filter((one) => !truths[one.code](chronicle, one as never, until)).map(inWords),
    ...said.refusals.filter((one) => !wasRefused(chronicle, one, atMs)).map(inWords),
    ...said.causes.filter((cause) => tellers[cause]?.some((about) => told.has(about)) === false).map((cause) => `cause ${cause}`),
  ];
  const tooMany = servingTooMany(chronicle, said, atMs);
  if (tooMany > 0) wrong.push(`${tooMany} more members in service`);
  return [...new Set(wrong)].map((what) => ({ ...until, detail: `decision ${said.id} says ${what}, which did not happen` }));
};

export const decisionsAreTrue: Rule = {
  name: 'what decisions say is true',
  meaning:
    'What a stored decision says is true in the world: what EC2 refused, took or advised to leave, what a pool cost or held, and which signals led to the decision. It counts no more members in service than were there at some time of the look.',
  broken: (chronicle) => reasonsSaid(chronicle.history).flatMap((said) => falseIn(chronicle, said)),
};
