import { Session } from 'node:inspector/promises';
import { play } from '../play.ts';
import type { ProfileName } from '../profiles/list.ts';
import { randomSituation } from '../random-situation.ts';
import { errorCodesIn, reasonsIn } from './codes.ts';
import { createLedger, type Ledger, type Script } from './ledger.ts';

/** What the worlds of one profile have reached. */
export type Reach = { readonly worlds: number; readonly reasons: ReadonlySet<string>; readonly errorCodes: ReadonlySet<string> };

export type Measured = { readonly ledger: Ledger; readonly reach: ReadonlyMap<ProfileName, Reach> };

type Order = { readonly profiles: readonly ProfileName[]; readonly worlds: number; readonly from: number; readonly tell: (text: string) => void };

const playProfile = async (profile: ProfileName, { worlds, from, tell }: Order): Promise<Reach> => {
  const [reasons, errorCodes] = [new Set<string>(), new Set<string>()];
  for (let seed = from; seed < from + worlds; seed += 1) {
    const outcome = await play(randomSituation(seed, { profile }));
    for (const reason of reasonsIn(outcome)) reasons.add(reason);
    for (const code of errorCodesIn(outcome)) errorCodes.add(code);
  }
  tell(`${profile}: ${worlds} worlds played`);
  return { worlds, reasons, errorCodes };
};

/** Plays so many worlds of each profile under V8's coverage. It must begin before the functions are loaded. */
export const measure = async (scripts: readonly Script[], order: Order): Promise<Measured> => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const ledger = createLedger(scripts);
  const reach = new Map<ProfileName, Reach>();
  for (const profile of order.profiles) {
    reach.set(profile, await playProfile(profile, order));
    const { result } = await session.post('Profiler.takePreciseCoverage');
    ledger.add(profile, result);
  }
  session.disconnect();
  return { ledger, reach };
};
