import type { Chronicle } from '../chronicle.ts';
import type { Finding, Rule } from '../finding.ts';
import type { Actor, HistoryEvent } from '../history.ts';
import { lookedSince, ownLaunches } from '../members/staying.ts';
import { modesIn } from '../policy/modes.ts';
import { asgsOf, type Policy } from '../policy/policy.ts';
import { times } from '../times.ts';
import { forcedOutAtMs, isFunction, type Life, takenOutAtMs } from '../world/life.ts';
import { isWithMember, sizerOf } from './auto-scaling/lowered.ts';

type Broken = Omit<Finding, 'rule'>;
type Mode = Policy['mode'];

/** Something that a function did to an instance. */
type Deed = { readonly life: Life; readonly atMs: number; readonly by: Actor; readonly what: string };

/** Whether a function that did something then could only know these modes of a group. */
const knewOnly = (chronicle: Chronicle, group: string, { by, atMs }: Pick<Deed, 'by' | 'atMs'>, modes: readonly Mode[]): boolean => {
  const sinceMs = lookedSince(chronicle, by, atMs);
  const isSeenLate = chronicle.policiesIn(group, sinceMs, atMs).some(({ isWeighed }) => isWeighed);
  const known = modesIn(chronicle, group, sinceMs - (isSeenLate ? chronicle.times.asgLagMs : 0), atMs);
  return known.length > 0 && known.every((mode) => modes.includes(mode));
};

const launchesIn = (chronicle: Chronicle, modes: readonly Mode[]): readonly Broken[] =>
  ownLaunches(chronicle)
    .filter(({ life, group }) => knewOnly(chronicle, group, { by: life.by, atMs: life.launchedAtMs }, modes))
    .map(({ life, group }) => ({ group, instance: life.instance, atMs: life.launchedAtMs, detail: `${life.instance} was launched` }));

/** Members that a function took out of service, ended, or had their Auto Scaling group end. */
const removals = ({ lives }: Chronicle): readonly Deed[] =>
  lives.flatMap((life): readonly Deed[] => [
    ...life.services.flatMap(({ why, by, untilMs }) =>
      why === 'deregistered' && isFunction(by) ? [{ life, by, atMs: untilMs, what: 'taken out of service' }] : [],
    ),
    ...(isFunction(life.ending?.by) ? [{ life, by: life.ending.by, atMs: life.ending.atMs, what: 'ended' }] : []),
    ...life.stays.flatMap(({ how, by, untilMs }) =>
      how === 'terminating' && isFunction(by) ? [{ life, by, atMs: untilMs, what: 'ended through its Auto Scaling group' }] : [],
    ),
  ]);

/** Whether its drain had begun while it was allowed to: it was taken out of service, or its swap says that it drains. */
const hadBegun = (chronicle: Chronicle, group: string, { life, atMs }: Deed, mayBegin: (mode: Mode) => boolean): boolean => {
  const began = [
    takenOutAtMs(life),
    ...life.claims.filter(({ state }) => state === 'draining' || state === 'drained').map((claim) => claim.atMs),
    ...life.stays.filter(({ how, by }) => how === 'terminating' && isFunction(by)).map(({ untilMs }) => untilMs),
  ];
  return began.some((ms) => ms <= atMs && modesIn(chronicle, group, ms - times.reactMs, ms).some(mayBegin));
};

const removalsIn = (chronicle: Chronicle, mode: 'observe' | 'pause', mayGo: (life: Life, atMs: number) => boolean): readonly Broken[] =>
  removals(chronicle).flatMap((deed): readonly Broken[] => {
    const { life, atMs, what } = deed;
    const group = chronicle.groupAt(life, atMs - 1);
    if (group === undefined || !knewOnly(chronicle, group, deed, [mode]) || mayGo(life, atMs)) return [];
    if (hadBegun(chronicle, group, deed, (one) => one === 'act' || (one === 'pause' && forcedOutAtMs(life) <= atMs))) return [];
    return [{ group, instance: life.instance, atMs, detail: `${life.instance} was ${what}` }];
  });

/** Members that a function attached, or gave a tag. */
const joinsIn = (chronicle: Chronicle): readonly Broken[] =>
  chronicle.lives.flatMap((life): readonly Broken[] =>
    [
      ...chronicle
        .of('joined')
        .filter(({ instance, by }) => instance === life.instance && isFunction(by) && life.by !== by)
        .map(({ by, atMs }) => ({ by, atMs, what: 'attached' })),
      ...life.tags.slice(1).flatMap(({ by, atMs }) => (isFunction(by) ? [{ by, atMs, what: 'tagged' }] : [])),
    ].flatMap(({ by, atMs, what }) => {
      const group = chronicle.groupAt(life, atMs - 1);
      if (group === undefined || !knewOnly(chronicle, group, { by, atMs }, ['observe'])) return [];
      return [{ group, instance: life.instance, atMs, detail: `${life.instance} was ${what}` }];
    }),
  );

const hooksIn = (chronicle: Chronicle): readonly Broken[] =>
  chronicle.lives.flatMap((life) =>
    life.hooks.flatMap(({ over, hook, asg }): readonly Broken[] => {
      if (over?.how !== 'completed' || !isFunction(over.by)) return [];
      const deed = { life, atMs: over.atMs, by: over.by, what: '' };
      const group = chronicle.groupAt(life, over.atMs - 1);
      if (group === undefined || !knewOnly(chronicle, group, deed, ['observe'])) return [];
      if (hadBegun(chronicle, group, deed, (mode) => mode !== 'observe')) return [];
      return [{ group, instance: life.instance, asg, atMs: over.atMs, detail: `${hook} of ${life.instance} was completed` }];
    }),
  );

type AsgChange = Extract<HistoryEvent, { readonly kind: 'asg-changed' }>;

/** What a function made larger of an Auto Scaling group, or suspended. A maximum that Holdfast raised before is put back. */
const growth = (before: AsgChange, now: AsgChange): string | undefined => {
  if (now.max > before.max) return `its maximum became ${now.max}`;
  if (now.desired > before.desired) return `its desired capacity became ${now.desired}`;
  if (now.min !== before.min) return `its minimum became ${now.min}`;
  const added = now.suspended.filter((process) => !before.suspended.includes(process));
  return added.length === 0 ? undefined : `${added.join(', ')} was suspended`;
};

/** A desired capacity that a function lowered without a member. Where others set the size, what attaching added is taken off. */
const lowering = (chronicle: Chronicle, before: AsgChange, now: AsgChange): string | undefined => {
  const isLowered = now.desired < before.desired && now.isGone !== true;
  return isLowered && sizerOf(chronicle, now.asg, now.atMs) !== undefined && !isWithMember(chronicle, now.asg, now.atMs)
    ? `its desired capacity was lowered from ${before.desired} to ${now.desired}`
    : undefined;
};

type Changed = (before: AsgChange, now: AsgChange) => string | undefined;

/** What functions changed of Auto Scaling groups whose group they could know only in this mode. */
const asgsIn = (chronicle: Chronicle, mode: Mode, changed: Changed): readonly Broken[] =>
  [...Map.groupBy(chronicle.of('asg-changed'), ({ asg }) => asg)].flatMap(([asg, changes]) =>
    changes.flatMap((change, index): readonly Broken[] => {
      const before = changes[index - 1];
      const detail = before !== undefined && isFunction(change.by) ? changed(before, change) : undefined;
      const group = [...chronicle.groups.keys()].find((name) =>
        chronicle.policiesIn(name, change.atMs, change.atMs).some((policy) => asgsOf(policy).includes(asg)),
      );
      if (detail === undefined || group === undefined || !knewOnly(chronicle, group, change, [mode])) return [];
      return [{ group, asg, atMs: change.atMs, detail: `${asg}: ${detail}` }];
    }),
  );

export const pauseIsIdle: Rule = {
  name: 'pause launches and removes nothing',
  meaning:
    'While a group is paused, or a size of its Auto Scaling groups counts weights of instance types, Holdfast launches nothing for it. It takes out of service and ends only members that EC2 or Auto Scaling takes, or whose drain had begun before. Where the policy sets the size, it lowers a desired capacity only with a member.',
  broken: (chronicle) => [
    ...launchesIn(chronicle, ['pause']),
    ...removalsIn(chronicle, 'pause', (life, atMs) => forcedOutAtMs(life) <= atMs),
    ...asgsIn(chronicle, 'pause', (before, now) => lowering(chronicle, before, now)),
  ],
};

const outside = new Set(['ec2', 'autoscaling', 'elasticloadbalancing']);
/** Calls that end a drain or put a maximum back. Other rules judge their effects. */
const ends = new Set([
  'TerminateInstances',
  'DeregisterTargets',
  'TerminateInstanceInAutoScalingGroup',
  'CompleteLifecycleAction',
  'RecordLifecycleActionHeartbeat',
  'UpdateAutoScalingGroup',
  'SetDesiredCapacity',
  'ResumeProcesses',
]);

/** Calls of functions that knew every group as observed. Where no group ever acted, none may change anything. */
const callsIn = (chronicle: Chronicle): readonly Broken[] => {
  const groups = [...chronicle.groups.keys()];
  return chronicle.of('called').flatMap(({ atMs, askedAtMs, service, operation, isMutating, invocation }): readonly Broken[] => {
    if (!isMutating || !outside.has(service)) return [];
    const sinceMs = chronicle.invocations.get(invocation)?.beganAtMs ?? askedAtMs;
    const known = groups.flatMap((group) => modesIn(chronicle, group, sinceMs, atMs));
    if (known.length === 0 || known.some((mode) => mode !== 'observe')) return [];
    const everActed = groups.some((group) => modesIn(chronicle, group, chronicle.history.beganAtMs, atMs).some((mode) => mode !== 'observe'));
    return everActed && ends.has(operation) ? [] : [{ invocation, atMs, detail: `${service}:${operation} was called` }];
  });
};

export const observeChangesNothing: Rule = {
  name: 'observe changes nothing',
  meaning:
    'While a group is observed, Holdfast launches nothing for it; attaches, tags, takes out of service and ends none of its members; completes none of their hooks; and makes nothing larger of its Auto Scaling groups. Where the policy sets the size, it lowers a desired capacity only with a member. A drain that had begun before goes on. Where every group is observed, no function makes a call that changes capacity.',
  broken: (chronicle) => [
    ...launchesIn(chronicle, ['observe']),
    ...removalsIn(chronicle, 'observe', () => false),
    ...joinsIn(chronicle),
    ...hooksIn(chronicle),
    ...asgsIn(chronicle, 'observe', (before, now) => growth(before, now) ?? lowering(chronicle, before, now)),
    ...callsIn(chronicle),
  ],
};
