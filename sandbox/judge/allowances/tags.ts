import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { reservationOf } from '../members/staying.ts';
import { isTaggedBy, taggedWithinMs, tagsAsAsked } from '../rules/bounds/tags.ts';
import { everythingExplained } from '../rules/said/explained.ts';
import { times } from '../times.ts';

/** Only `react` tags, launches, and describes whom to tag. */
const isLook = (name: string): boolean => name.endsWith('react');

const services = new Set(['ec2', 'autoscaling']);

/** When faults killed functions that had requested launches of an Auto Scaling group: the response was lost with them. */
const killedAtMs = (chronicle: Chronicle, asg: string | undefined): readonly number[] => {
  const called = chronicle.of('called').filter(({ launch }) => launch?.asg !== undefined && launch.asg === asg);
  const launching = new Set(called.map(({ invocation }) => invocation));
  return chronicle
    .of('invocation-ended')
    .flatMap(({ invocation, injected, error, atMs }) => (injected && error !== undefined && launching.has(invocation) ? [atMs] : []));
};

const failedAtMs = (chronicle: Chronicle): readonly number[] =>
  chronicle
    .of('called')
    .flatMap(({ function: name, service, trouble, atMs }) => (isLook(name) && services.has(service) && trouble === 'fault' ? [atMs] : []));

/** The end of the run of `react` that has begun by then, and is not over. A tick that comes after a minute waits for its batch. */
const lookOverMs = ({ invocations }: Chronicle, atMs: number): number => {
  const running = [...invocations.values()].filter(
    ({ function: name, beganAtMs, ended }) => isLook(name) && beganAtMs <= atMs + times.batchMs && (ended?.atMs ?? atMs) >= atMs,
  );
  return Math.max(atMs, ...running.map(({ ended }) => ended?.atMs ?? atMs));
};

/** When a minute has passed without such faults, after a launch in whose minute there was one, and the look is over that comes then without one. */
const worksAtMs = (chronicle: Chronicle, instance: string, launchedAtMs: number): number => {
  const minuteOverMs = [...failedAtMs(chronicle), ...killedAtMs(chronicle, chronicle.life(instance)?.stays[0]?.asg)]
    .toSorted((a, b) => a - b)
    .reduce(
      (untilMs, atMs) => (atMs >= launchedAtMs && atMs <= lookOverMs(chronicle, untilMs) ? Math.max(untilMs, atMs + taggedWithinMs) : untilMs),
      launchedAtMs + taggedWithinMs,
    );
  return lookOverMs(chronicle, minuteOverMs);
};

export const taggedOnceCallsWork: Allowance = {
  name: 'calls that tag, launch or describe met faults',
  excuses: tagsAsAsked.name,
  trouble:
    'Faults met calls of `react` to EC2 or EC2 Auto Scaling, or killed functions that had requested launches of the same Auto Scaling group, in the minute after a launch into it.',
  reaches:
    'Instances of that launch that carry their tags a minute after the last such fault, or by the end of the look that comes then, with no minute and look without one between them.',
  reason: 'A look tags whom describes show without tags. It needs the response to the launch, the describe and the call that tags.',
  covers: ({ instance = '', atMs }, chronicle) => isTaggedBy(chronicle, instance, worksAtMs(chronicle, instance, atMs)),
};

const deletedThen: Pick<Allowance, 'trouble' | 'reaches' | 'reason' | 'covers'> = {
  trouble:
    'A fault killed a function that had requested a launch of an Auto Scaling group, in the minute after it, and the policy was deleted in the minute after that.',
  reaches: 'Instances of that launch that carry no tag of a reservation.',
  reason:
    'The look that would have found out whom the request launched finds no policy. A group that was let go gets no launch, so no request is repeated.',
  covers: ({ group = '', instance = '', atMs }, chronicle) => {
    const life = chronicle.life(instance);
    if (life === undefined || reservationOf(life) !== undefined) return false;
    return killedAtMs(chronicle, life.stays[0]?.asg).some(
      (killed) =>
        killed >= atMs &&
        killed <= atMs + taggedWithinMs &&
        chronicle.policyAt(group, killed) !== undefined &&
        chronicle.policyAt(group, killed + taggedWithinMs) === undefined,
    );
  },
};

export const untaggedAsDeleted: Allowance = {
  name: 'a policy was deleted before its launch was tagged',
  excuses: tagsAsAsked.name,
  ...deletedThen,
};

export const unexplainedAsDeleted: Allowance = {
  name: 'a policy was deleted before the outcome of its launch was stored',
  excuses: everythingExplained.name,
  ...deletedThen,
};
