import type { Chronicle } from '../chronicle.ts';
import { heardAtMs } from '../told/leaving.ts';
import { endless, isAlive, type Life } from '../world/life.ts';

/** With drain-first a member that leaves on advice is replaced when it has gone, unless Holdfast heard meanwhile that EC2 takes it. */
export const holdsPlace = (chronicle: Chronicle, life: Life, heardMs: number, atMs: number): boolean => {
  const advisedMs = Math.min(endless, ...life.advisedAtMs, ...life.scheduled.map((one) => one.atMs));
  const policies = advisedMs > atMs ? [] : chronicle.policiesIn(chronicle.groupAt(life, atMs) ?? '', advisedMs, atMs);
  return policies.some(({ order }) => order === 'drain-first') && isAlive(life, atMs) && heardAtMs(chronicle, life, 'warning') > heardMs;
};
