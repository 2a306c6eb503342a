import type { Chronicle } from '../chronicle.ts';
import { delayOf, takenOutByUs } from '../told/leaving.ts';
import { endless, goneAtMs, isAlive, isFunction, type Life, lastBackMs, warnedAtMs } from '../world/life.ts';
import { headcountAt } from './staying.ts';

/**
 * A lost member that has no replacement yet: since when, and why. `isOfPolicy`: the policy drains it before it is replaced. `isByHealth`: it runs on, and
 * only the health of targets shows that it does not serve. `unhealthy`: the member that a target group found unhealthy. `own`: the policy drained it while
 * other members were missing, as it allows, and this is its debt once none is.
 */
export type Debt = {
  readonly sinceMs: number;
  readonly because: string;
  readonly isOfPolicy?: true;
  readonly isByHealth?: true;
  readonly unhealthy?: Life;
  readonly own?: Debt;
};

/** Whether its claim made it wait for its replacement: EC2 advised it, the policy holds its members elsewhere, or it never served. */
const isAtRisk = (chronicle: Chronicle, group: string, life: Life, outAtMs: number): boolean => {
  const claimedMs = Math.min(outAtMs, ...life.claims.map(({ atMs }) => atMs));
  return headcountAt(chronicle, group, claimedMs - 1).waiting.includes(life);
};

/**
 * Until when a member at risk may drain before its replacement is launched, with drain-first. Undefined where it left for another reason.
 */
const drainsFirstUntilMs = (chronicle: Chronicle, group: string, life: Life, outAtMs: number): number | undefined => {
  const policy = chronicle.policyAt(group, outAtMs);
  if (policy?.order !== 'drain-first' || !isAtRisk(chronicle, group, life, outAtMs)) return undefined;
  const names = life.services.map(({ targetGroup }) => targetGroup);
  return Math.min(goneAtMs(life), outAtMs + Math.min(delayOf(chronicle, names), policy.drainTimeoutMs));
};

/** Whether it is of a member that Holdfast has to replace: neither does the policy drain it first, nor does it fail and live. */
const isOfOthers = ({ isOfPolicy, unhealthy }: Debt): boolean => isOfPolicy === undefined && unhealthy === undefined;

/**
 * When the trouble began that made a member stop serving: at its warning, if it had one. An end by Holdfast counts as the oldest other trouble, while
 * the group lacks members that Holdfast has to replace. Otherwise, with drain-first, the time begins when its drain may be over. It also does once no
 * such member is missing any more. Both hold only if the policy allows that so few serve: beyond `maxSurge`, the time is that of the oldest trouble of all.
 */
const troubleOf = (chronicle: Chronicle, group: string, life: Life, { atMs, serving, desired }: Look, open: readonly Debt[]): Debt => {
  const warnedMs = warnedAtMs(life, lastBackMs(life, atMs));
  if (warnedMs <= atMs) return { sinceMs: warnedMs, because: `${life.instance} was warned` };
  const out = life.services.find(({ untilMs }) => untilMs === atMs);
  const isOurs = isFunction(out?.by) || (isFunction(life.ending?.by) && life.ending?.atMs === atMs);
  const drainedMs = isOurs ? drainsFirstUntilMs(chronicle, group, life, atMs) : undefined;
  const isAllowed = serving.size >= desired - (chronicle.policyAt(group, atMs)?.maxSurge ?? 0);
  const own: Debt | undefined =
    drainedMs === undefined ? undefined : { sinceMs: drainedMs, because: `${life.instance} had drained`, isOfPolicy: true };
  const hasOwnTime = own !== undefined && isAllowed;
  const first = open.find((debt) => debt.sinceMs <= atMs && (isOfOthers(debt) || !hasOwnTime));
  if (isOurs && first !== undefined) {
    // Only the time is that of the other trouble. When the unhealthy member serves again, this one is still missing. And the policy drains only the other.
    const { unhealthy: _other, own: _theirs, isOfPolicy: _byPolicy, ...since } = first;
    return { ...since, ...(hasOwnTime && { own }) };
  }
  if (hasOwnTime) return own;
  const isByHealth = !isOurs && isAlive(life, atMs);
  return {
    sinceMs: atMs,
    because: `${life.instance} stopped serving`,
    ...(isByHealth && { isByHealth }),
    ...(isByHealth && out?.why === 'unhealthy' && { unhealthy: life }),
  };
};

/** When an unhealthy member was lost after its debt began: EC2 took it, or it ended. An end by Holdfast does not count. */
const lostAfter = (life: Life, sinceMs: number, untilMs: number): Debt | undefined => {
  const goneMs = isFunction(life.ending?.by) ? endless : goneAtMs(life);
  const warnedMs = warnedAtMs(life, lastBackMs(life, untilMs));
  const lostMs = Math.min(goneMs, warnedMs);
  if (lostMs <= sinceMs || lostMs > untilMs) return undefined;
  return { sinceMs: lostMs, because: `${life.instance} ${warnedMs === lostMs ? 'was warned' : 'ended'}` };
};

/** When an unhealthy member had drained that the policy drains first, if Holdfast took it out of service after its debt began. */
const drainedAfter = (chronicle: Chronicle, group: string, life: Life, sinceMs: number, untilMs: number): Debt | undefined => {
  const out = life.services.find((service) => takenOutByUs(service) && service.untilMs > sinceMs && service.untilMs <= untilMs);
  const drainedMs = out === undefined ? undefined : drainsFirstUntilMs(chronicle, group, life, out.untilMs);
  return drainedMs === undefined ? undefined : { sinceMs: drainedMs, because: `${life.instance} had drained`, isOfPolicy: true };
};

/**
 * Debts of unhealthy members begin anew when EC2 takes the member or it ends: Holdfast does not replace living members by their health. They also do when
 * the policy drains the member first, while no other member is missing.
 */
export const renewed = (chronicle: Chronicle, group: string, debts: readonly Debt[], untilMs: number): readonly Debt[] => {
  const isMissing = debts.some(isOfOthers);
  const renew = (debt: Debt): Debt => {
    const { unhealthy, sinceMs } = debt;
    if (unhealthy === undefined) return debt;
    const drained = isMissing ? undefined : drainedAfter(chronicle, group, unhealthy, sinceMs, untilMs);
    return lostAfter(unhealthy, sinceMs, untilMs) ?? drained ?? debt;
  };
  return debts.map(renew).toSorted((a, b) => a.sinceMs - b.sinceMs);
};

/** The members that serve at a moment, and how many are wanted. */
export type Look = { readonly atMs: number; readonly serving: ReadonlySet<Life>; readonly desired: number };

type Change = { readonly before: Look | undefined; readonly now: Look; readonly withinMs: number };

/** `open`: the debts of members that do not serve. `behind`: what a warned member that still serves leaves behind, if a new member replaced it already. */
export type Debts = { readonly open: readonly Debt[]; readonly behind: ReadonlyMap<Life, Debt> };

/**
 * What warned members that still serve leave behind, once new members removed these debts of others. The oldest trouble is replaced first. So a new member
 * replaces a warned member, if that trouble is older and the new member comes within the bound from it. The younger debt is then open once the warned
 * member stops serving. Each new member does so once.
 */
const leftBehind = (behind: Debts['behind'], removed: readonly Debt[], { before, now, withinMs }: Change): Debts['behind'] => {
  const after = new Map([...behind].filter(([life]) => now.serving.has(life)));
  const troubleMsOf = (life: Life): number => after.get(life)?.sinceMs ?? warnedAtMs(life, lastBackMs(life, now.atMs));
  const ofOthers = removed.filter((debt) => isOfOthers(debt) && debt.own === undefined);
  const arrived = [...now.serving].filter((life) => before !== undefined && !before.serving.has(life));
  for (const debt of ofOthers.slice(0, arrived.length)) {
    const [oldest] = [...now.serving]
      .filter((life) => before?.serving.has(life) && troubleMsOf(life) < debt.sinceMs && now.atMs - troubleMsOf(life) <= withinMs)
      .toSorted((a, b) => troubleMsOf(a) - troubleMsOf(b));
    if (oldest !== undefined) after.set(oldest, debt);
  }
  return after;
};

/**
 * The debts of a group after one change. Each lost member adds a debt. A member that serves again removes its own debt, and any other that begins to serve
 * removes the oldest one. Debts of members that the policy drained meanwhile are removed after those of others, and debts of unhealthy members last,
 * because Holdfast replaces lost members first.
 */
export const afterChange = (chronicle: Chronicle, group: string, debts: Debts, change: Change): Debts => {
  const { before, now } = change;
  const short = Math.max(0, now.desired - now.serving.size);
  const lost = [...(before?.serving ?? [])].filter((life) => !now.serving.has(life));
  const open = debts.open.filter(({ unhealthy }) => unhealthy === undefined || !now.serving.has(unhealthy));
  const fresh = lost.map((life) => debts.behind.get(life) ?? troubleOf(chronicle, group, life, now, open));
  const asked: Debt = { sinceMs: now.atMs, because: `${now.desired} are wanted` };
  const all = [...open, ...fresh].toSorted((a, b) => a.sinceMs - b.sinceMs);
  const turnOf = ({ unhealthy, own }: Debt): number => (unhealthy === undefined ? Number(own !== undefined) : 2);
  const inTurn = all.toSorted((a, b) => turnOf(a) - turnOf(b));
  const removed = inTurn.slice(0, Math.max(0, all.length - short));
  // If the group needs more members than it lost, the size was raised just now.
  const added = Array.from({ length: Math.max(0, short - all.length) }, () => asked);
  const left = [...inTurn.slice(removed.length), ...added];
  const isOthersBack = left.every((debt) => debt.own !== undefined || !isOfOthers(debt));
  return {
    open: (isOthersBack ? left.map((debt) => debt.own ?? debt) : left).toSorted((a, b) => a.sinceMs - b.sinceMs),
    behind: leftBehind(debts.behind, removed, change),
  };
};
