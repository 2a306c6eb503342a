import { accountPartition, items } from '../../../core/contract.ts';
import { returnLaunches } from '../capacity/returning.ts';
import type { Chronicle } from '../chronicle.ts';
import type { Finding, Rule } from '../finding.ts';
import { minutesGivenBack } from '../told/given-back.ts';
import { repeatedTries } from '../told/repeated-tries.ts';
import { goneAtMs, type HookWait, isFunction } from '../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** Instances of groups that came or went since everything was up. */
const touched = (chronicle: Chronicle): number => {
  const { readyAtMs, endedAtMs } = chronicle.history;
  const ours = new Set([...chronicle.groups.keys()].flatMap((group) => chronicle.livesIn(group)));
  return [...ours].filter((life) => life.launchedAtMs >= readyAtMs || (goneAtMs(life) >= readyAtMs && goneAtMs(life) <= endedAtMs)).length;
};

const calls = (chronicle: Chronicle) => chronicle.of('called').filter(({ askedAtMs }) => askedAtMs >= chronicle.history.readyAtMs);

type Called = ReturnType<typeof calls>[number];

/** Invocations that a fault killed at a call. */
export const killedIn = (made: readonly Called[]): ReadonlySet<string> =>
  new Set(made.filter(({ outcome }) => outcome === 'crashed').map(({ invocation }) => invocation));

/** Auto Scaling allows hooks no less than this (PutLifecycleHook). */
const shortestHookMs = 30_000;

/** A hook is kept alive by a heartbeat each half of its time-out, for as long as it waits. */
const heartbeatsDue = (chronicle: Chronicle): number => {
  const due = ({ atMs, timeoutMs, over }: HookWait): number =>
    Math.ceil(((over?.atMs ?? chronicle.history.endedAtMs) - atMs) / (Math.max(shortestHookMs, timeoutMs) / 2));
  return chronicle.lives.flatMap(({ hooks }) => hooks).reduce((sum, wait) => sum + due(wait), 0);
};

/** A look that is refused may have lowered the desired capacities of several Auto Scaling groups, and gives each back. */
const resizedInVain = (chronicle: Chronicle): number => {
  const refused = new Set(chronicle.of('refused').map(({ invocation }) => invocation));
  const changed = chronicle
    .of('asg-changed')
    .flatMap(({ by, asg }) => (isFunction(by) && refused.has(by.invocation) ? [`${by.invocation} ${asg}`] : []));
  return 2 * new Set(changed).size;
};

const heartbeat = 'autoscaling:RecordLifecycleActionHeartbeat';
const kindOf = ({ service, operation }: Pick<Called, 'service' | 'operation'>): string => `${service}:${operation}`;

/** Whether a heartbeat is repeated because its function died: heartbeats are made side by side, and stored after their responses. */
const isForgotten = (call: Called, died: ReadonlySet<string>): boolean => kindOf(call) === heartbeat && died.has(call.invocation);

const resize = 'autoscaling:UpdateAutoScalingGroup';
const capacityServices = new Set(['ec2', 'autoscaling', 'elasticloadbalancing']);

/** The most calls of one kind: a number for any run, and a number for each instance that came or went. */
const most: Readonly<Record<string, readonly [anyway: number, each: number]>> = {
  'ec2:CreateFleet': [4, 1],
  'ec2:TerminateInstances': [4, 1],
  'autoscaling:LaunchInstances': [4, 1],
  'autoscaling:AttachInstances': [4, 1],
  [resize]: [6, 1],
  'autoscaling:TerminateInstanceInAutoScalingGroup': [4, 2],
  'elasticloadbalancing:RegisterTargets': [4, 1],
  'elasticloadbalancing:DeregisterTargets': [4, 2],
};

/** A call registers with one target group, or deregisters from one. */
const isForEachTargetGroup = (kind: string): boolean => kind.startsWith('elasticloadbalancing:');

/** The most target groups that one policy names. */
const mostTargetGroups = ({ groups }: Chronicle): number =>
  Math.max(1, ...[...groups.values()].flatMap(({ policies }) => policies.map(({ policy }) => policy?.targetGroups.length ?? 0)));

/** Where others set the size, `Launch` is resumed for each attach and suspended again: the group takes no instance in otherwise. */
const callsOfAttaches = ({ groups }: Chronicle, attaches: number): number =>
  [...groups.values()].some(({ policies }) => policies.some(({ policy }) => policy?.isSizedOutside)) ? 2 * attaches : 0;

export const callsAreBounded: Rule = {
  name: 'calls that change something are bounded',
  meaning:
    'Calls that change capacity grow only with the instances that come and go. Calls to target groups also grow with the number that a policy names, and calls about hooks with the hooks and with the time that they wait. A look that is refused may change the size of each Auto Scaling group twice. Where others set the size, each attach takes two calls more. Each kind of call has its own bound. Calls that faults made fail do not count. Neither do heartbeats of an invocation in which a fault killed its function, because nothing may have stored them.',
  broken: (chronicle) => {
    const count = touched(chronicle);
    const made = calls(chronicle);
    const died = killedIn(made);
    const mutating = made.filter(
      (call) => capacityServices.has(call.service) && call.isMutating && call.trouble === undefined && !isForgotten(call, died),
    );
    const refused = chronicle.of('refused').length;
    const atMs = chronicle.history.endedAtMs;
    const due = heartbeatsDue(chronicle);
    const waits = chronicle.lives.flatMap(({ hooks }) => hooks).length;
    const targetGroups = mostTargetGroups(chronicle);
    // A member is launched, registered, deregistered and ended, and each hook that it waits on is completed.
    const kinds = Map.groupBy(mutating, kindOf);
    const attaches = kinds.get('autoscaling:AttachInstances')?.length ?? 0;
    const all = 12 + (2 + 2 * targetGroups) * count + due + waits + refused + callsOfAttaches(chronicle, attaches);
    return [
      ...(mutating.length <= all
        ? []
        : [{ atMs, detail: `${mutating.length} calls that change something for ${count} instances that came or went, expected at most ${all}` }]),
      ...[...kinds].flatMap(([kind, { length }]): readonly Broken[] => {
        const [anyway, each] = most[kind] ?? [all, 0];
        const times = isForEachTargetGroup(kind) ? targetGroups : 1;
        const inVain = kind === resize ? Math.max(refused, resizedInVain(chronicle)) : refused;
        const limit = kind === heartbeat ? 4 + due : times * (anyway + each * count) + inVain;
        return length <= limit
          ? []
          : [{ atMs, detail: `${length} calls of ${kind} for ${count} instances that came or went, expected at most ${limit}` }];
      }),
    ];
  },
};

/** Each tick, each signal and each instance that comes or goes costs about twenty calls in the worst case. */
const callsEach = 25;
const callsAnyway = 100;

const outside = new Set(['warning', 'advice', 'hook', 'state', 'alarm', 'launch-unsuccessful', 'drain-stopped', 'policy']);

/** How often others set another size. No message reports it, and Holdfast acts on each as on an alarm or a new policy. */
const sizesSet = (chronicle: Chronicle): number => {
  const { readyAtMs, endedAtMs } = chronicle.history;
  const words = [...chronicle.groups.keys()].map((group) => chronicle.wordsFor(group, endedAtMs) ?? []);
  return words.flatMap((own) => own.filter(({ atMs, size }, index) => atMs >= readyAtMs && size !== (own[index - 1]?.size ?? size))).length;
};

/** In how many minutes EC2 refused launches, for each group: while members are missing, EC2 is asked again each minute. */
const minutesRefused = (chronicle: Chronicle): number => {
  const { readyAtMs } = chronicle.history;
  const refused = chronicle.of('refused').filter(({ atMs }) => atMs >= readyAtMs);
  return new Set(refused.map(({ group, asg, atMs }) => `${group ?? asg} ${Math.floor((atMs - readyAtMs) / 60_000)}`)).size;
};

export const noStorm: Rule = {
  name: 'no storm of calls',
  meaning:
    'All calls, with reads and failures, grow only with ticks, signals from outside, and instances that come and go. They never grow with the messages that Holdfast sends to itself. A size that others set counts as a signal, and so does each minute in which EC2 refuses launches for a group, or in which a message comes again to a function that had to give it back because of a fault. Tries that a fault throttles or gives a server error count as one with the try after them, as often as Holdfast repeats such a call. Calls of a function that a fault killed do not count, because the next one makes them again.',
  broken: (chronicle) => {
    const { readyAtMs, endedAtMs, spec, faults } = chronicle.history;
    const minutes = Math.ceil((endedAtMs - readyAtMs) / 60_000) * Math.max(1, chronicle.groups.size);
    const heard = chronicle.of('delivered').filter(({ atMs, told }) => atMs >= readyAtMs && outside.has(told.about));
    const signals = new Set(heard.map(({ message }) => message)).size + sizesSet(chronicle) + minutesRefused(chronicle) + minutesGivenBack(chronicle);
    // Short pages may multiply the describes by any number.
    const isPage = (operation: string): boolean => spec.longestPage !== undefined && operation.startsWith('Describe');
    const all = calls(chronicle);
    const killed = killedIn(all);
    const tries = all.filter(({ operation, invocation }) => !isPage(operation) && !killed.has(invocation));
    const made = tries.length - repeatedTries(tries);
    const deliveries = faults.some(({ fault }) => fault.on === 'message') ? 2 : 1;
    const limit = callsAnyway + deliveries * callsEach * (minutes + signals + touched(chronicle));
    return made <= limit
      ? []
      : [
          {
            atMs: endedAtMs,
            detail: `${made} calls for ${minutes} ticks, ${signals} signals and ${touched(chronicle)} instances that came or went, expected at most ${limit}`,
          },
        ];
  },
};

/** Swaps and reservations are forgotten minutes after their end, and lessons when they are over. */
const forgetsWithinMs = 2_100_000;

/** A member that moves to a better place while all is at rest is launched, admitted, drained and explained; a launch that is refused is explained. */
const writesOfMove = 8;

/** What a call takes of the account's buckets is written before it is made (docs/adr/0008-count-every-call-before-it-is-made.md). */
const isTaking = ({ group, item }: { readonly group: string; readonly item: string }): boolean => group === accountPartition && item === items.budget;

/** A look writes the state of its group when it decides, and when it has carried that out. */
const statesOfLook = 4;

/** Looks at rest that wrote the state of a group again and again, although they launched nothing and nothing was refused. */
const manyStates = (chronicle: Chronicle, sinceMs: number): readonly Broken[] => {
  const acts = new Set([
    ...chronicle.lives.flatMap(({ by, launchedAtMs }) => (isFunction(by) && launchedAtMs > sinceMs ? [by.invocation] : [])),
    ...chronicle.of('refused').flatMap(({ invocation, atMs }) => (atMs > sinceMs ? [invocation] : [])),
  ]);
  const written = chronicle.of('state-written').filter(({ atMs, by }) => atMs > sinceMs && isFunction(by) && !acts.has(by.invocation));
  const looks = Map.groupBy(written, ({ group, by }) => `${group} ${isFunction(by) ? by.invocation : ''}`);
  return [...looks.values()].flatMap((states): readonly Broken[] => {
    const [first] = states;
    if (first === undefined || states.length <= statesOfLook) return [];
    const { group, atMs } = first;
    return [
      { group, atMs, detail: `the state of ${group} was written ${states.length} times by one look at rest, expected at most ${statesOfLook}` },
    ];
  });
};

/** Members that messages at rest ask Holdfast to replace, and members that it adds or removes for a size that becomes due at rest. */
const askedAtRest = (chronicle: Chronicle, sinceMs: number): number => {
  const told = chronicle.of('delivered').flatMap(({ told: one, atMs }) => {
    const isAsked = one.about === 'warning' || one.about === 'advice' || one.about === 'hook';
    return isAsked && atMs > sinceMs ? [one.instance] : [];
  });
  const resized = [...chronicle.groups.values()].flatMap(({ written }) =>
    written.map(({ atMs, desired }, index) => (atMs > sinceMs ? Math.abs(desired - (written[index - 1]?.desired ?? desired)) : 0)),
  );
  // Who is replaced leaves, and another one comes.
  return 2 * new Set(told).size + resized.reduce((sum, count) => sum + count, 0);
};

export const idleWritesNothing: Rule = {
  name: 'an idle look writes nothing',
  meaning:
    'At rest, Holdfast only removes what is over: at most four writes, and two for each instance that came or went within the last half hour. Eight more are allowed for each launch that moves a member to a better place, for each member that leaves for such a launch, and for each refused launch. So are eight for each member that joins or leaves because of a warning, advice or hook that is received at rest, or of a size that is set at rest. What each call takes of the account’s buckets is written as well. A look that launches nothing, and that nothing was refused to, writes the state of its group at most four times.',
  broken: (chronicle) => {
    const { restAtMs, endedAtMs } = chronicle.history;
    if (restAtMs === undefined) return [];
    const sinceMs = restAtMs + 10_000;
    const isWrite = (event: { readonly atMs: number; readonly by: { readonly kind: string } }): boolean =>
      event.atMs > sinceMs && event.by.kind === 'function';
    const written = chronicle.of('item-written').filter(isWrite);
    const taken = written.filter(isTaking).length;
    const made = chronicle.of('called').filter(({ service, askedAtMs }) => askedAtMs > sinceMs && capacityServices.has(service)).length;
    const states = chronicle.of('state-written').filter(isWrite).length;
    const writes = states + written.length - Math.min(taken, made);
    const recent = chronicle.lives.filter((life) =>
      [life.launchedAtMs, goneAtMs(life)].some((atMs) => atMs > restAtMs - forgetsWithinMs && atMs <= restAtMs),
    ).length;
    const isAtRest = (atMs: number): boolean => atMs > sinceMs && atMs <= endedAtMs;
    const moves = returnLaunches(chronicle);
    const left = new Set(moves.flatMap(({ worse }) => worse.filter((life) => isAtRest(goneAtMs(life)))));
    const moving = moves.filter(({ life }) => isAtRest(life.launchedAtMs)).length + Math.min(left.size, moves.length);
    const refused = new Set(chronicle.of('refused').flatMap(({ atMs, invocation }) => (atMs > sinceMs ? [invocation] : []))).size;
    const limit = 4 + 2 * recent + writesOfMove * (moving + refused + askedAtRest(chronicle, restAtMs));
    return [
      ...(writes <= limit ? [] : [{ atMs: endedAtMs, detail: `${writes} items were written at rest, expected at most ${limit}` }]),
      ...manyStates(chronicle, sinceMs),
    ];
  },
};
