import type { Cause } from '../../../core/decision/decision-record.ts';
import { type Signal, signalKindOf } from '../../../core/signals/signal.ts';
import type { News } from '../../../core/signals/signal-kind.ts';
import { createCauses } from './causes.ts';

/** The facts of signals about one group. Facts are only added, and one decision follows from all of them. */
export type Facts = News & {
  readonly group: string;
  /** The signals, for the stored decision. */
  readonly causes: readonly Cause[];
  /**
   * Messages that are delivered again when the group cannot be converged: those of these facts, except of kinds that
   * never come again (ticks and wakes).
   */
  readonly messages: readonly string[];
};

type Growing = {
  -readonly [Key in keyof Omit<Facts, 'causes'>]: Facts[Key] extends readonly (infer Item)[] ? Item[] : Facts[Key];
} & {
  readonly causes: ReturnType<typeof createCauses>;
};

/** The facts of a group without a signal. */
export const noFacts = (group: string): Omit<Growing, 'causes'> => ({
  group,
  leaving: [],
  ran: [],
  ranInAsg: [],
  ended: [],
  stopped: [],
  alarms: [],
  refusedAsgs: [],
  stoppedDrains: [],
  isTick: false,
  messages: [],
});

const addTick = (facts: Growing, { isTick, isMinute, isWoken }: Partial<News>): void => {
  if (isTick) facts.isTick = true;
  if (isMinute) facts.isMinute = true;
  if (isWoken) facts.isWoken = true;
};

/** Collects facts by group. A storm adds thousands of them, so lists grow in place until they are returned. */
export const createFactsByGroup = () => {
  const byGroup = new Map<string, Growing>();
  return {
    add: (group: string, message: string, signal: Signal, news: Partial<News> = {}): void => {
      const facts = byGroup.get(group) ?? { ...noFacts(group), causes: createCauses() };
      byGroup.set(group, facts);
      facts.causes.add(signal);
      facts.leaving.push(...(news.leaving ?? []));
      facts.ran.push(...(news.ran ?? []));
      facts.ranInAsg.push(...(news.ranInAsg ?? []));
      facts.ended.push(...(news.ended ?? []));
      facts.stopped.push(...(news.stopped ?? []));
      facts.alarms.push(...(news.alarms ?? []));
      facts.refusedAsgs.push(...(news.refusedAsgs ?? []));
      facts.stoppedDrains.push(...(news.stoppedDrains ?? []));
      addTick(facts, news);
      if (news.writtenAtMs !== undefined) facts.writtenAtMs = Math.max(news.writtenAtMs, facts.writtenAtMs ?? 0);
      if (signalKindOf(signal).comesAgain !== 'never') facts.messages.push(message);
    },
    all: (): readonly Facts[] => [...byGroup.values()].map((facts) => ({ ...facts, causes: facts.causes.all() })),
  };
};
