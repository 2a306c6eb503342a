import type { Chronicle } from '../chronicle.ts';
import { times } from '../times.ts';
import { isProtected, type Life } from './life.ts';

/** It never answers, and its user protects it from scale-in: it can neither serve nor leave. */
export const isMute = (life: Life, atMs: number): boolean =>
  life.bootedAtMs === undefined && isProtected(life, atMs) && life.launchedAtMs <= atMs - times.neverBootsMs;

/**
 * Whether such members take the whole surge of a group, and no more others serve than must serve before a member at risk leaves. Then a member that only
 * advice takes stays and serves: Holdfast may launch nothing more for it. A group that holds fewer than it may with its surge has room for a launch.
 */
export const isSurgeMute = (chronicle: Chronicle, group: string, atMs: number): boolean => {
  const policy = chronicle.policyAt(group, atMs);
  if (policy === undefined) return false;
  const members = chronicle.membersAt(group, atMs);
  const desired = chronicle.groups.get(group)?.written.at(-1)?.desired ?? policy.size.desired;
  const isDrainFirst = policy.order === 'drain-first';
  const least = desired - (isDrainFirst ? policy.maxSurge : 0);
  const isFull = members.length >= desired + (isDrainFirst ? 0 : policy.maxSurge);
  const serving = members.filter((life) => chronicle.servesAt(life, atMs)).length;
  return isFull && serving <= least && members.filter((life) => isMute(life, atMs)).length >= policy.maxSurge;
};
