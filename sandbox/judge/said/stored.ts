import type { Shortfall } from '../../../core/swap/shortfall.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { History } from '../history.ts';
import { isMap, type Json } from '../read-json.ts';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What a swap says about itself, as far as the world can tell whether it is so. */
export type SaidSwap = {
  readonly instance: string;
  readonly group: string;
  readonly reason: Swap['reason'];
  readonly state: Swap['state'];
  readonly decision: string;
  /** The drain that it named last. */
  readonly drain?: string;
  readonly claimedAtMs: number;
  readonly launchedAtMs?: number;
  readonly drainStartedAtMs?: number;
  readonly drainedAtMs?: number;
  readonly goneAtMs?: number;
  /** When EC2 warned about it, by the event. */
  readonly warnedAtMs?: number;
  readonly deadlineMs?: number;
  readonly keptUntilMs?: number;
  readonly withdrawnAtMs?: number;
  readonly shortfall?: Shortfall;
};

const timesOf = [
  ...(['launchedAtMs', 'drainStartedAtMs', 'drainedAtMs', 'goneAtMs'] as const),
  ...(['warnedAtMs', 'deadlineMs', 'keptUntilMs', 'withdrawnAtMs'] as const),
];

/** Swaps as they are stored; a shortfall of the first version is a sentence, which cannot be compared with the world. */
export const swapsOf = ({ stored }: History): readonly SaidSwap[] =>
  stored.swaps.filter(isMap).flatMap((swap) => {
    const instance = textOf(swap.instance);
    if (instance === undefined) return [];
    const drain = textOf(swap.drain);
    const times = Object.fromEntries(timesOf.flatMap((name) => (numberOf(swap[name]) === undefined ? [] : [[name, numberOf(swap[name])]])));
    return [
      {
        instance,
        group: String(swap.group),
        reason: swap.reason as Swap['reason'],
        state: swap.state as Swap['state'],
        decision: String(swap.decision),
        claimedAtMs: numberOf(swap.claimedAtMs) ?? 0,
        ...times,
        ...(drain !== undefined && { drain }),
        ...(isMap(swap.shortfall) ? { shortfall: swap.shortfall as Shortfall } : {}),
      },
    ];
  });

/** Where one round of a decision launches. */
export type SaidRound = {
  /** `isBound`: not the whole tree was free to give it, because it moves a member, is owed on demand, or is a spare. */
  readonly placed: readonly { readonly pool: string; readonly isBound: boolean }[];
  /** Pools with a reason why they could not give. One that EC2 takes members of, or advises to leave, still gives. */
  readonly against: readonly string[];
};

/** The launches and the removals in a stored decision. */
export type SaidDecision = {
  readonly id: string;
  readonly group: string;
  readonly atMs: number;
  readonly policyVersion?: number;
  readonly rounds: readonly SaidRound[];
  readonly launches: readonly { readonly reservation: string; readonly instances: readonly string[] }[];
  readonly removals: readonly string[];
  /** When the next look comes, where the decision arranged one. */
  readonly wakeAtMs?: number;
  /** Members that its launches move to better places, or on demand. Undefined where the decision was stored without its rounds. */
  readonly moves?: readonly string[];
};

const idsOf = (list: unknown): readonly string[] => listOf(list).flatMap((one) => textOf(one) ?? (isMap(one) ? (textOf(one.instance) ?? []) : []));

const roundOf = ({ placements, reasons, rejected }: Json): SaidRound => {
  const passed = listOf(rejected).filter(isMap);
  const gives = new Set(passed.flatMap(({ pool, code }) => (code === 'interrupted' || code === 'advised' ? [pool] : [])));
  const moving = new Set(
    listOf(placements)
      .filter(isMap)
      .flatMap(({ pool, moves }) => (moves === undefined ? [] : [pool])),
  );
  return {
    placed: listOf(reasons)
      .filter(isMap)
      .map(({ pool, owed, spare }) => ({ pool: String(pool), isBound: moving.has(pool) || owed !== undefined || spare !== undefined })),
    against: passed.flatMap(({ pool }) => (gives.has(pool) ? [] : [String(pool)])),
  };
};

export const decisionsOf = ({ stored }: History): readonly SaidDecision[] =>
  stored.decisions.filter(isMap).map((record) => {
    const outcome = isMap(record.outcome) ? record.outcome : {};
    const rounds = [...listOf(record.decision), ...listOf(record.rounds)].filter(isMap);
    return {
      id: String(record.id),
      group: String(record.group),
      atMs: numberOf(record.atMs) ?? 0,
      ...(numberOf(record.policyVersion) !== undefined && { policyVersion: numberOf(record.policyVersion) }),
      rounds: rounds.map(roundOf),
      launches: listOf(outcome.launches)
        .filter(isMap)
        .map((launch) => ({ reservation: String(launch.reservation), instances: idsOf(launch.instances) })),
      ...(numberOf(outcome.wakeAtMs) !== undefined && { wakeAtMs: numberOf(outcome.wakeAtMs) }),
      removals: rounds.flatMap(({ removals }) => idsOf(removals)),
      ...(rounds.length > 0 && {
        moves: rounds.flatMap(({ placements }) =>
          listOf(placements)
            .filter(isMap)
            .flatMap(({ moves }) => idsOf(moves)),
        ),
      }),
    };
  });
