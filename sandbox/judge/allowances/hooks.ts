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

/** From receiving a hook to the end of the drain that completes it, or to its first heartbeat. */
const holdsWithinMs = 15_000;

export const hookUnheard: Allowance = {
  name: 'the hook was received too late',
  excuses: hooksAreHeld.name,
  trouble: 'The message about a hook was lost or late, or faults met every function that it reached.',
  reaches: 'That hook, if it expires before it is received, or found by a look, or within fifteen seconds after that.',
  reason: 'A hook that no function knows can neither be completed nor prolonged.',
  covers: ({ instance, asg, atMs }, chronicle) => {
    const found = expired(chronicle, instance, asg, atMs);
    if (found === undefined) return false;
    const { life, wait } = found;
    return Math.min(heardOfHookAtMs(chronicle, life, wait.hook), notedAtMs(chronicle, life, wait)) > atMs - holdsWithinMs;
  },
};
