import type { Chronicle } from './chronicle.ts';
import { delayOf } from './leaving.ts';
import { endless, goneAtMs, isAlive, isFunction, type Life, lastBackMs, warnedAtMs } from './life.ts';
import { headcountAt } from './staying.ts';

/**
 * A lost member that has no replacement yet: since when, and why. `isOfPolicy`: the policy drains it before it is replaced. `isByHealth`: it runs on, and
 * only the health of targets shows that it does not serve. `unhealthy`: the member that a target group found unhealthy.
 */
export type Debt = {
  readonly sinceMs: number;
  readonly because: string;
  readonly isOfPolicy?: true;
  readonly isByHealth?: true;
  readonly unhealthy?: Life;
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

/**
 * When the trouble began that made a member stop serving: at its warning, if it had one. An end by Holdfast counts as the oldest other trouble, while
 * the group lacks members that the policy does not drain first. Otherwise, with drain-first, the time begins when its drain may be over.
 */
const troubleOf = (chronicle: Chronicle, group: string, life: Life, atMs: number, open: readonly Debt[]): Debt => {
  const warnedMs = warnedAtMs(life, lastBackMs(life, atMs));
  if (warnedMs <= atMs) return { sinceMs: warnedMs, because: `${life.instance} was warned` };
  const out = life.services.find(({ untilMs }) => untilMs === atMs);
  const isOurs = isFunction(out?.by) || (isFunction(life.ending?.by) && life.ending?.atMs === atMs);
  const drainedMs = isOurs ? drainsFirstUntilMs(chronicle, group, life, atMs) : undefined;
  const first = open.find(({ sinceMs, isOfPolicy }) => sinceMs <= atMs && (isOfPolicy === undefined || drainedMs === undefined));
  if (isOurs && first !== undefined) return first;
  const isByHealth = !isOurs && isAlive(life, atMs);
  return drainedMs === undefined
    ? {
        sinceMs: atMs,
        because: `${life.instance} stopped serving`,
        ...(isByHealth && { isByHealth }),
        ...(isByHealth && out?.why === 'unhealthy' && { unhealthy: life }),
      }
    : { sinceMs: drainedMs, because: `${life.instance} had drained`, isOfPolicy: true };
};

/** A debt of an unhealthy member begins anew when EC2 takes the member or it ends: Holdfast does not replace living members by their health. */
export const renewed = (debt: Debt, untilMs: number): Debt => {
  const { unhealthy, sinceMs } = debt;
  if (unhealthy === undefined) return debt;
  const goneMs = isFunction(unhealthy.ending?.by) ? endless : goneAtMs(unhealthy);
  const warnedMs = warnedAtMs(unhealthy, lastBackMs(unhealthy, untilMs));
  const lostMs = Math.min(goneMs, warnedMs);
  return lostMs <= sinceMs || lostMs > untilMs
    ? debt
    : { sinceMs: lostMs, because: `${unhealthy.instance} ${warnedMs === lostMs ? 'was warned' : 'ended'}` };
};

/** The members that serve at a moment, and how many are wanted. */
export type Look = { readonly atMs: number; readonly serving: ReadonlySet<Life>; readonly desired: number };

type Change = { readonly before: Look | undefined; readonly now: Look };

/** The debts of a group after one change. Each lost member adds a debt. Each member that begins to serve removes the oldest debt. */
export const afterChange = (chronicle: Chronicle, group: string, debts: readonly Debt[], { before, now }: Change): readonly Debt[] => {
  const short = Math.max(0, now.desired - now.serving.size);
  const lost = [...(before?.serving ?? [])].filter((life) => !now.serving.has(life));
  const fresh = lost.map((life) => troubleOf(chronicle, group, life, now.atMs, debts));
  const asked: Debt = { sinceMs: now.atMs, because: `${now.desired} are wanted` };
  const all = [...debts, ...fresh].toSorted((a, b) => a.sinceMs - b.sinceMs);
  // Each new serving member removes the oldest debt. If the group needs more members than it lost, the size was raised just now.
  if (short <= all.length) return all.slice(all.length - short);
  return [...all, ...Array.from({ length: short - all.length }, () => asked)].toSorted((a, b) => a.sinceMs - b.sinceMs);
};
