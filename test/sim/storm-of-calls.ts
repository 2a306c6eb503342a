import type { Evidence } from './evidence.ts';

/** A tick, a signal or an instance that comes or goes: each is looked into with about twenty calls in the worst of worlds. */
const callsEach = 25;
/** What is allowed beside: a world at rest, with its last drains. */
const callsAnyway = 100;

type QueueEvent = { readonly Records?: readonly { readonly messageId?: string; readonly body?: string }[] };

const isOurs = (body = ''): boolean => body.includes('"source":"holdfast"');

/** Messages from outside, each once, however often they were delivered. What Holdfast tells itself is no signal: it would explain any storm. */
const signalsIn = ({ invocations }: Evidence): number =>
  new Set(
    invocations
      .flatMap(({ event }) => (event as QueueEvent | undefined)?.Records ?? [])
      .filter(({ messageId, body }) => messageId !== undefined && !isOurs(body))
      .map(({ messageId }) => messageId),
  ).size;

/** All calls of all functions, also those that failed, faults or not, grow with what happened and with the ticks, and with nothing else. */
export const noStormOfCalls = (evidence: Evidence): readonly string[] => {
  const { calls, lives, readyAtMs, snapshot, situation } = evidence;
  const minutes = Math.ceil((snapshot.nowMs - readyAtMs) / 60_000);
  const touched = lives.filter(({ launchedAtMs, goneAtMs }) => launchedAtMs >= readyAtMs || goneAtMs !== undefined).length;
  const signals = signalsIn(evidence);
  // Short pages multiply describes as they please.
  const isPage = (operation: string): boolean => situation.spec.longestPage !== undefined && operation.startsWith('Describe');
  const made = calls.filter(({ operation }) => !isPage(operation)).length;
  // Where the queue gives every message twice at once, each is looked into twice.
  const deliveries = (situation.faults ?? []).some(({ on }) => on === 'message') ? 2 : 1;
  const most = callsAnyway + deliveries * callsEach * (minutes + signals + touched);
  return made <= most ? [] : [`${made} calls for ${minutes} ticks, ${signals} signals and ${touched} instances that came or went; at most ${most}`];
};
