import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { hooksAreHeld } from '../rules/drains/endings.ts';
import { swapWrites } from '../said/swap-writes.ts';
import { heardOfHookAtMs, isHealthy } from '../told/leaving.ts';
import { endless, type HookWait, type Life } from '../world/life.ts';

const expired = (chronicle: Chronicle, instance = '', asg = '', atMs = 0): { readonly life: Life; readonly wait: HookWait } | undefined => {
  const life = chronicle.life(instance);
  const wait = life?.hooks.find((one) => one.asg === asg && one.over?.atMs === atMs && one.over.how === 'expired');
  return life === undefined || wait === undefined ? undefined : { life, wait };
};

/** When a function that no fault met wrote that the instance waits on the hook. A look finds hooks too, without a message. */
const notedAtMs = (chronicle: Chronicle, { instance }: Life, { hook, atMs: sinceMs }: HookWait): number =>
  (swapWrites(chronicle).get(instance) ?? []).find(
    ({ atMs, by, swap }) => atMs >= sinceMs && swap.facts.hooks.includes(hook) && isHealthy(chronicle, by.invocation),
  )?.atMs ?? endless;

/**
 * When a tick came that no fault met and that had to find the hook: describes show that the member waits, it waits on no other hook, no swap was there for
 * it, and no other group takes turns with this one.
 */
const tickedAtMs = (chronicle: Chronicle, life: Life, { atMs: sinceMs }: HookWait): number => {
  const group = chronicle.groupAt(life, sinceMs - 1) ?? '';
  if (chronicle.groups.size > 1 || life.hooks.length > 1 || life.claims.some(({ atMs }) => atMs <= sinceMs)) return endless;
  const shownAtMs = sinceMs + Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs);
  const tick = chronicle
    .of('delivered')
    .find(
      ({ told, atMs, invocation }) =>
        told.about === 'tick' &&
        told.groups.includes(group) &&
        atMs > shownAtMs &&
        chronicle.policyAt(group, atMs) !== undefined &&
        isHealthy(chronicle, invocation) &&
        chronicle.invocations.get(invocation)?.ended?.again.length === 0,
    );
  return tick?.atMs ?? endless;
};

/** From receiving a hook to the end of the drain that completes it, or to its first heartbeat. */
const holdsWithinMs = 15_000;

export const hookUnheard: Allowance = {
  name: 'the hook was received too late',
  excuses: hooksAreHeld.name,
  trouble: 'The message about a hook was lost or late, or faults met every function that it reached.',
  reaches:
    'That hook, if it expires before it is received, or found by a look, or within fifteen seconds after that. A tick that no fault met finds the only hook of a member without a swap, in an account with one group.',
  reason: 'A hook that no function knows can neither be completed nor prolonged.',
  covers: ({ instance, asg, atMs }, chronicle) => {
    const found = expired(chronicle, instance, asg, atMs);
    if (found === undefined) return false;
    const { life, wait } = found;
    const knownAtMs = Math.min(heardOfHookAtMs(chronicle, life, wait.hook), notedAtMs(chronicle, life, wait), tickedAtMs(chronicle, life, wait));
    return knownAtMs > atMs - holdsWithinMs;
  },
};
