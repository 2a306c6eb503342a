import { createDraw } from './draw.ts';
import { type About, eventKinds, eventText } from './event-texts.ts';
import { type House, openHouse } from './house.ts';
import { listen } from './listen.ts';

export type Flooded = {
  readonly sent: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly failures: readonly string[];
  /** Messages on any queue at the end. */
  readonly left: number;
  readonly deadLetters: number;
  readonly mostReceives: number;
  readonly executions: number;
  readonly swaps: number;
  readonly logged: string;
};

const messagesOn = ({ sandbox }: House) => sandbox.platform.queues.flatMap((queue) => queue.messages());

/** Twice a minute the queue holds nothing but what was redelivered; a message that still comes again after this long would do so forever. */
const settleSeconds = 600;

const aboutHouse = ({ sandbox, instanceOf }: House): About => ({
  instance: instanceOf('web'),
  member: instanceOf('attached'),
  account: sandbox.place.accountId,
  region: sandbox.place.region,
  nowMs: sandbox.clock.now(),
});

const sendAll = async (house: House, count: number, seed: number): Promise<Readonly<Record<string, number>>> => {
  const draw = createDraw(seed, 'events');
  const byKind = Object.fromEntries(eventKinds.map((kind) => [kind, 0]));
  const signals = house.sandbox.platform.queues.find(({ name }) => name === 'holdfast-signals');
  if (signals === undefined) throw new Error('The stack has no signals queue.');
  for (let sent = 0; sent < count; sent += 1) {
    const { kind, text } = eventText(aboutHouse(house), draw);
    byKind[kind] = (byKind[kind] ?? 0) + 1;
    signals.send(text);
    if (sent % 1_000 === 999) await house.pass(5);
  }
  return byKind;
};

const flood = async (count: number, seed: number): Promise<Omit<Flooded, 'logged'>> => {
  const house = await openHouse(seed);
  try {
    const before = house.fleet();
    const byKind = await sendAll(house, count, seed);
    await house.pass(settleSeconds);
    const left = messagesOn(house);
    const state = await house.sandbox.items('state');
    return {
      sent: count,
      byKind,
      before,
      after: house.fleet(),
      failures: house.failures(),
      left: left.length,
      deadLetters: house.sandbox.deadLetters(),
      mostReceives: Math.max(0, ...left.map(({ receiveCount }) => receiveCount)),
      executions: house.sandbox.executions().length,
      swaps: state.filter(({ claimedAtMs }) => claimedAtMs !== undefined).length,
    };
  } finally {
    await house.sandbox.close();
  }
};

/** Sends so many messages that nobody should act on, and tells what became of them and of the fleet. */
export const floodQueue = async (count: number, seed: number): Promise<Flooded> => {
  const { result, logged } = await listen(() => flood(count, seed));
  return { ...result, logged };
};
