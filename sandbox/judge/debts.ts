import type { Chronicle } from './chronicle.ts';
import { delayOf } from './leaving.ts';
import { goneAtMs, isFunction, type Life, lastBackMs, warnedAtMs } from './life.ts';
import { headcountAt } from './staying.ts';

/** Something that a group has lost and not made up for: since when, by what. `isOfPolicy`: the policy drains it before it is replaced. */
export type Debt = { readonly sinceMs: number; readonly because: string; readonly isOfPolicy?: true };

/** Whether its claim made it wait for its replacement: EC2 advised it, the policy holds its members elsewhere, or it never served. */
const isAtRisk = (chronicle: Chronicle, group: string, life: Life, outAtMs: number): boolean => {
  const claimedMs = Math.min(outAtMs, ...life.claims.map(({ atMs }) => atMs));
  return headcountAt(chronicle, group, claimedMs - 1).waiting.includes(life);
};

/**
 * With drain-first, what is at risk is drained before its replacement is launched, as its policy says: until when it may drain. Undefined where it left
 * for another reason.
 */
const drainsFirstUntilMs = (chronicle: Chronicle, group: string, life: Life, outAtMs: number): number | undefined => {
  const policy = chronicle.policyAt(group, outAtMs);
  if (policy?.order !== 'drain-first' || !isAtRisk(chronicle, group, life, outAtMs)) return undefined;
  const names = life.services.map(({ targetGroup }) => targetGroup);
  return Math.min(goneAtMs(life), outAtMs + Math.min(delayOf(chronicle, names), policy.drainTimeoutMs));
};

/**
 * When the trouble began that made a member stop serving: its warning, where it had one. An end of ours begins nothing of its own while the group is
 * short of others than those that the policy drains first; else it is the policy's, with drain-first.
 */
const troubleOf = (chronicle: Chronicle, group: string, life: Life, atMs: number, open: readonly Debt[]): Debt => {
  const warnedMs = warnedAtMs(life, lastBackMs(life, atMs));
  if (warnedMs <= atMs) return { sinceMs: warnedMs, because: `${life.instance} was warned` };
  const out = life.services.find(({ untilMs }) => untilMs === atMs);
  const isOurs = isFunction(out?.by) || (isFunction(life.ending?.by) && life.ending?.atMs === atMs);
  const drainedMs = isOurs ? drainsFirstUntilMs(chronicle, group, life, atMs) : undefined;
  const first = open.find(({ sinceMs, isOfPolicy }) => sinceMs <= atMs && (isOfPolicy === undefined || drainedMs === undefined));
  if (isOurs && first !== undefined) return first;
  return drainedMs === undefined
    ? { sinceMs: atMs, because: `${life.instance} stopped serving` }
    : { sinceMs: drainedMs, because: `${life.instance} had drained`, isOfPolicy: true };
};

/** Who serves at a moment, and how many are wanted. */
export type Look = { readonly atMs: number; readonly serving: ReadonlySet<Life>; readonly desired: number };

type Change = { readonly before: Look | undefined; readonly now: Look };

/** The debts of a group after one change: what was lost is added, what came to serve pays for the oldest. */
export const afterChange = (chronicle: Chronicle, group: string, debts: readonly Debt[], { before, now }: Change): readonly Debt[] => {
  const short = Math.max(0, now.desired - now.serving.size);
  const lost = [...(before?.serving ?? [])].filter((life) => !now.serving.has(life));
  const fresh = lost.map((life) => troubleOf(chronicle, group, life, now.atMs, debts));
  const asked: Debt = { sinceMs: now.atMs, because: `${now.desired} are wanted` };
  const all = [...debts, ...fresh].toSorted((a, b) => a.sinceMs - b.sinceMs);
  // Whoever came to serve pays for who waits longest; what is wanted beyond all losses was requested just now.
  if (short <= all.length) return all.slice(all.length - short);
  return [...all, ...Array.from({ length: short - all.length }, () => asked)].toSorted((a, b) => a.sinceMs - b.sinceMs);
};
