import { Session } from 'node:inspector/promises';
import { play } from '../play.ts';
import type { ProfileName } from '../profiles/list.ts';
import { randomSituation } from '../random-situation.ts';
import { errorCodesIn, reasonsIn } from './codes.ts';
import { type Ran, ranIn, type Script } from './ledger.ts';

/** Codes that worlds reached, each with the seed of the first world that did. */
export type Seeds = Readonly<Record<string, number>>;

/** What the worlds of one profile have reached. */
export type Reach = {
  readonly profile: ProfileName;
  readonly from: number;
  readonly worlds: number;
  readonly reasons: Seeds;
  readonly errorCodes: Seeds;
  readonly ran: Ran;
};

type Order = Pick<Reach, 'profile' | 'from' | 'worlds'> & { readonly tell: (text: string) => void };

const playWorlds = async ({ profile, from, worlds, tell }: Order): Promise<Pick<Reach, 'reasons' | 'errorCodes'>> => {
  const reasons: Record<string, number> = {};
  const errorCodes: Record<string, number> = {};
  for (let seed = from; seed < from + worlds; seed += 1) {
    const beganAtMs = performance.now();
    const outcome = await play(randomSituation(seed, { profile }));
    for (const reason of reasonsIn(outcome)) reasons[reason] ??= seed;
    for (const code of errorCodesIn(outcome)) errorCodes[code] ??= seed;
    tell(`${profile}: seed ${seed}, ${seed - from + 1} of ${worlds} played, ${((performance.now() - beganAtMs) / 1_000).toFixed(1)} s`);
  }
  return { reasons, errorCodes };
};

export type Meter = { readonly measure: (order: Order) => Promise<Reach>; readonly close: () => void };

/** Plays worlds of one profile after another under V8's coverage. It must begin before the functions are loaded. */
export const openMeter = async (scripts: readonly Script[]): Promise<Meter> => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    measure: async (order) => {
      const { profile, from, worlds } = order;
      const reached = await playWorlds(order);
      const { result } = await session.post('Profiler.takePreciseCoverage');
      return { profile, from, worlds, ...reached, ran: ranIn(scripts, result) };
    },
    close: () => session.disconnect(),
  };
};
