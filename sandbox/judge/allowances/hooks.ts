import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { heardOfHookAtMs } from '../leaving.ts';
import type { HookWait, Life } from '../life.ts';
import { hooksAreHeld } from '../rules/endings.ts';

const expired = (chronicle: Chronicle, instance = '', asg = '', atMs = 0): { readonly life: Life; readonly wait: HookWait } | undefined => {
  const life = chronicle.life(instance);
  const wait = life?.hooks.find((one) => one.asg === asg && one.over?.atMs === atMs && one.over.how === 'expired');
  return life === undefined || wait === undefined ? undefined : { life, wait };
};

/** From receiving a hook to the end of the drain that completes it, or to its first heartbeat. */
const holdsWithinMs = 15_000;

export const hookUnheard: Allowance = {
  name: 'the hook was received too late',
  excuses: hooksAreHeld.name,
  trouble: 'The message about a hook was lost or late, or faults met every function that it reached.',
  reaches: 'That hook, if it expires before it is received or within fifteen seconds after that.',
  reason: 'A hook that no function received can neither be completed nor prolonged.',
  covers: ({ instance, asg, atMs }, chronicle) => {
    const found = expired(chronicle, instance, asg, atMs);
    return found !== undefined && heardOfHookAtMs(chronicle, found.life, found.wait.hook) > atMs - holdsWithinMs;
  },
};
