import type { Cause } from '../../core/decision-record.ts';
import type { AlarmFact } from '../../core/lasting-alarms.ts';
import type { Signal } from '../../core/signal.ts';
import type { LeavingFact } from '../../core/swap-life/claim.ts';
import { createCauses } from './causes.ts';

/** What signals said about one group. Facts are only added; one decision follows from all of them. */
export type Facts = {
  readonly group: string;
  /** The signals, for the stored decision. */
  readonly causes: readonly Cause[];
  readonly leaving: readonly LeavingFact[];
  /** Instances that EC2 reports as running. They may have ended since. */
  readonly ran: readonly string[];
  /** Instances that EC2 reports as shutting down, stopped or terminated. */
  readonly ended: readonly string[];
  /** Of those, the ones that are stopped or stopping. */
  readonly stopped: readonly string[];
  readonly alarms: readonly AlarmFact[];
  /** Auto Scaling groups that could not launch by themselves. */
  readonly refusedAsgs: readonly string[];
  /** Drains whose executions somebody stopped: others take over what they had not ended. */
  readonly stoppedDrains: readonly string[];
  /** Whether to repair what time or lost messages left unfinished. */
  readonly isTick: boolean;
  /**
   * Messages that are delivered again when the group cannot be converged: those of these facts, except ticks and wakes.
   * The next tick follows within a minute, the ticks of an outage would pile up, and one message names many groups.
   */
  readonly messages: readonly string[];
};

type Growing = {
  -readonly [Key in keyof Omit<Facts, 'causes'>]: Facts[Key] extends readonly (infer Item)[] ? Item[] : Facts[Key];
} & {
  readonly causes: ReturnType<typeof createCauses>;
};

const noFacts = (group: string): Growing => ({
  group,
  causes: createCauses(),
  leaving: [],
  ran: [],
  ended: [],
  stopped: [],
  alarms: [],
  refusedAsgs: [],
  stoppedDrains: [],
  isTick: false,
  messages: [],
});

/** Collects facts by group. A storm adds thousands of them, so lists grow in place until they are returned. */
export const createFactsByGroup = () => {
  const byGroup = new Map<string, Growing>();
  return {
    add: (
      group: string,
      message: string,
      signal: Signal,
      news: Partial<Pick<Facts, Exclude<keyof Facts, 'group' | 'causes' | 'messages'>>> = {},
    ): void => {
      const facts = byGroup.get(group) ?? noFacts(group);
      byGroup.set(group, facts);
      facts.causes.add(signal);
      facts.leaving.push(...(news.leaving ?? []));
      facts.ran.push(...(news.ran ?? []));
      facts.ended.push(...(news.ended ?? []));
      facts.stopped.push(...(news.stopped ?? []));
      facts.alarms.push(...(news.alarms ?? []));
      facts.refusedAsgs.push(...(news.refusedAsgs ?? []));
      facts.stoppedDrains.push(...(news.stoppedDrains ?? []));
      facts.isTick ||= news.isTick ?? false;
      if (signal.kind !== 'tick') facts.messages.push(message);
    },
    all: (): readonly Facts[] => [...byGroup.values()].map((facts) => ({ ...facts, causes: facts.causes.all() })),
  };
};
