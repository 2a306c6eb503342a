import { noCapacity } from './capacity-steps.ts';
import { rename } from './edit-steps.ts';
import { setBy } from './outside-steps.ts';
import type { Situation } from './situation.ts';
import { alarm, deletePolicy, endThroughAsg, interrupt, kill, loseZone, putPolicy, recommendRebalance } from './steps.ts';
import { groupIn, type HoldingKind, plainLandscape, type SettingOptions, settingOf, specOf, zones } from './worlds.ts';

type Rest = Pick<Situation, 'steps' | 'asked'> & Partial<Situation>;

const restWithinMs = 600_000;
/** By then the signals of the last step have been received: earlier, the rest before it would be taken for the rest after it. */
const takesUpMs = 20_000;

const situation = (name: string, holding: HoldingKind, options: SettingOptions, rest: Rest): Situation => {
  const { spec, policy } = settingOf(holding, options);
  return { name, seed: 1, spec, policies: [policy], calmAtMs: Math.max(...rest.steps.map(({ atMs }) => atMs)) + takesUpMs, restWithinMs, ...rest };
};

const six = { web: { size: 6, endsAt: 6 } };
const elastic = { min: 2, max: 10, desired: 6 };
const alarms = {
  scaling: [
    { alarm: 'high', adjust: '+2', cooldown: '2m' },
    { alarm: 'low', adjust: '-2', cooldown: '2m' },
  ],
};
const terminatingHook = [{ name: 'drain', transition: 'terminating', heartbeatSeconds: 120, defaultResult: 'CONTINUE' }] as const;

const changed = (): Situation => {
  const { policy } = settingOf('tag', { size: 8 });
  return situation(
    'policy-change',
    'tag',
    {},
    {
      asked: { web: { size: 6, endsAt: 8 } },
      steps: [loseZone(1_000, zones[0]), putPolicy(2_500, { ...policy, tags: { team: 'web' } }, 'the policy asks for eight', 'size-edited')],
    },
  );
};

/** An Auto Scaling group that leaves no room: nothing can join before its maximum is raised, and nothing may leave before. */
const tight = { min: 6, max: 6 };

/** Let go while its maximum is raised, and taken up again. */
const letGo = (): Situation =>
  situation('let-go', 'attach', tight, {
    asked: six,
    steps: [
      loseZone(1_000, zones[0]),
      deletePolicy(35_000),
      putPolicy(100_000, settingOf('attach', tight).policy, 'the policy is written again', 'policy-written-again'),
    ],
  });

/** Two groups feel one zone go: one kept by tag, one attached to an Auto Scaling group, on one target group. */
const twoGroups = (): Situation => {
  const landscape = { ...plainLandscape, spot: 9 };
  const placed = [
    groupIn(landscape, { name: 'web', holding: 'tag', size: 4, targetGroups: ['web'] }),
    groupIn(landscape, { name: 'api', holding: 'attach', size: 4, targetGroups: ['web'] }),
  ];
  const four = { size: 4, endsAt: 4 };
  return {
    ...situation('two-groups', 'tag', {}, { asked: { web: four, api: four }, steps: [loseZone(1_000, zones[0])] }),
    spec: specOf(
      landscape,
      placed.flatMap(({ asgs }) => asgs),
    ),
    policies: placed.map(({ policy }) => policy),
  };
};

/**
 * Members of two Auto Scaling groups end without a warning, and these launch in their place. Nothing is due for that, so both groups are looked at together
 * once their new members run.
 */
const refilledTogether = (): Situation => {
  const placed = (['web', 'api'] as const).map((name) =>
    groupIn(plainLandscape, { name, holding: 'attach', size: 2, targetGroups: ['web'], asg: { market: 'spot' } }),
  );
  const two = { size: 2, endsAt: 2 };
  return {
    ...situation('refilled-together', 'attach', {}, { asked: { web: two, api: two }, steps: [kill(1_000, 1, 'web'), kill(1_000, 1, 'api')] }),
    spec: specOf(
      plainLandscape,
      placed.flatMap(({ asgs }) => asgs),
    ),
    policies: placed.map(({ policy }) => policy),
  };
};

/** In the middle of a storm the policy loses a pool that members are in, and requests for one member more. */
const policyEdit = (): Situation => {
  const { policy } = settingOf('tag', { size: 7 });
  const { 'spot-a': _, ...pools } = policy.pools as Record<string, unknown>;
  const capacity = { tiered: [{ spread: ['spot-b', 'spot-c'] }, { spread: ['od-b', 'od-c'] }] };
  return situation(
    'policy-edit',
    'tag',
    {},
    {
      asked: { web: { size: 6, endsAt: 7 } },
      steps: [interrupt(1_000, 2), putPolicy(2_500, { ...policy, pools, capacity }, 'the policy drops a pool and asks for seven', 'pools-edited')],
    },
  );
};

/** The policy is deleted and written under another name while members of its Auto Scaling group leave. */
const renamed = (): Situation => {
  const { policy } = settingOf('attach', { hooks: terminatingHook });
  const steps = [interrupt(1_000, 2), rename(5_000, policy, 'renamed', 10_000)];
  return situation('rename', 'attach', { hooks: terminatingHook }, { asked: { web: { size: 6 } }, steps, calmAtMs: 60_000 });
};

/** The group moves to another Auto Scaling group while members of the first one leave. */
const movedAsg = (): Situation => {
  const landscape = plainLandscape;
  const options = { name: 'web', holding: 'attach', size: 6, targetGroups: ['web'] } as const;
  const [first, second] = [groupIn(landscape, options), groupIn(landscape, { ...options, prefix: 'other-', asg: { min: 0, desired: 0 } })];
  const steps = [interrupt(1_000, 2), putPolicy(5_000, second.policy, 'the group moves to another Auto Scaling group', 'asg-edited')];
  return {
    ...situation('moved-asg', 'attach', {}, { asked: { web: { size: 6 } }, steps, calmAtMs: 60_000 }),
    spec: specOf(landscape, [...first.asgs, ...second.asgs]),
    policies: [first.policy],
  };
};

/** A group whose size others set, up to twenty; its own Auto Scaling group launches spot alone. */
const outsideOptions: SettingOptions = { size: 6, max: 20, market: 'spot', policy: { size: { from: 'asg', min: 0, max: 20 } } };

/** Somebody sets the size to eight where the group gets no more spot. */
const outsideScaleOut = (): Situation =>
  situation(
    'outside-scale-out',
    'attach',
    { ...outsideOptions, spot: 2 },
    { asked: { web: { size: 6, endsAt: 8 } }, steps: [setBy(1_000, { kind: 'person', asg: 'web-asg', wants: [{ atSeconds: 0, value: 8 }] }, 5_000)] },
  );

const outsideScaleIn = (): Situation =>
  situation(
    'outside-scale-in',
    'attach',
    { ...outsideOptions, hooks: terminatingHook },
    { asked: { web: { size: 6, endsAt: 4 } }, steps: [setBy(1_000, { kind: 'person', asg: 'web-asg', wants: [{ atSeconds: 0, value: 4 }] }, 5_000)] },
  );

/** Four members come on demand while there is no spot, and move back to it afterwards, two at a time. */
const returned = (): Situation => {
  const policy = { return: { after: '1m', every: '1m', atMost: 2 }, swap: { order: 'drain-first', maxSurge: 2 }, removal: { order: 'newest-first' } };
  const steps = [noCapacity(500, 60_000, ['spot'], zones), interrupt(1_000, 4)];
  return situation('return', 'tag', { policy }, { asked: six, steps, calmAtMs: 420_000 });
};

/** Two members come on demand into a group whose size others set while there is no spot, and move back to it afterwards. */
const outsideReturned = (): Situation => {
  const policy = { ...outsideOptions.policy, return: { after: '1m', every: '1m', atMost: 2 } };
  const steps = [noCapacity(500, 60_000, ['spot'], zones), interrupt(1_000, 2)];
  return situation('outside-return', 'attach', { ...outsideOptions, policy }, { asked: six, steps, calmAtMs: 420_000 });
};

/** Two members are warned, and the breaker opens; the next ones come on demand, until one launch tries spot again. */
const broken = (): Situation => {
  const policy = { breaker: { interruptions: 2, within: '3m', hold: '1m' }, return: { after: '1m', every: '1m', atMost: 2 } };
  // The next loss comes once a launch whose author died has been repeated.
  const steps = [interrupt(1_000, 2), interrupt(55_000, 1), interrupt(110_000, 1)];
  return situation('breaker', 'tag', { policy }, { asked: six, steps, calmAtMs: 240_000 });
};

/** A policy comes to keep two members on demand, and no zone with more than half of the group: two members on spot are replaced, launch-first. */
const floored = (): Situation => {
  const options = { max: 10, market: 'spot' as const };
  const { policy } = settingOf('attach', options);
  const limits = { onDemand: { floor: 2 }, maxShare: { zone: '50%' } };
  const steps = [putPolicy(1_000, { ...policy, ...limits }, 'the policy keeps two on demand', 'shares-edited')];
  return situation('on-demand-floor', 'attach', options, { asked: six, steps, calmAtMs: 240_000 });
};

/** EC2's bucket of launched instances is full again, after the launches that brought the group up. */
const bucketFullMs = 520_000;

/** 2,000 members, of whom EC2 takes about 680 in the same second. */
const hugeInterruption = (): Situation => {
  const options = { size: 2_000, spot: 1_200, mostTargets: 4_000 };
  return situation('huge-interruption', 'tag', options, {
    asked: { web: { size: 2_000, endsAt: 2_000 } },
    steps: [loseZone(bucketFullMs, zones[0])],
  });
};

/** Workflows that take minutes each. They are played only by name. */
export const longWorkflows: Readonly<Record<string, () => Situation>> = { 'huge-interruption': hugeInterruption };

/** Everything that Holdfast does as one piece of work, each as a situation whose calls can be counted and cut off one by one. */
export const workflows: Readonly<Record<string, () => Situation>> = {
  'interruption-tag': () => situation('interruption-tag', 'tag', {}, { asked: six, steps: [loseZone(1_000, zones[0])] }),
  'interruption-attach': () => situation('interruption-attach', 'attach', {}, { asked: six, steps: [loseZone(1_000, zones[0])] }),
  'interruption-launch-instances': () =>
    situation('interruption-launch-instances', 'launch-instances', {}, { asked: six, steps: [loseZone(1_000, zones[0])] }),
  refusal: () => situation('refusal', 'tag', { spot: 2 }, { asked: six, steps: [loseZone(1_000, zones[0])] }),
  rebalance: () =>
    situation(
      'rebalance',
      'tag',
      { policy: { swap: { order: 'launch-first', maxSurge: 2 }, rebalance: { act: true } } },
      { asked: six, steps: [recommendRebalance(1_000, 2)] },
    ),
  hook: () => situation('hook', 'attach', { hooks: terminatingHook }, { asked: six, steps: [endThroughAsg(1_000, 2)] }),
  'scale-in': () => situation('scale-in', 'tag', { size: elastic, policy: alarms }, { asked: { web: { size: 6 } }, steps: [alarm(1_000, 'low')] }),
  'scale-out': () =>
    situation('scale-out', 'attach', { size: elastic, policy: alarms }, { asked: { web: { size: 6 } }, steps: [alarm(1_000, 'high')] }),
  'policy-change': changed,
  compensation: () => situation('compensation', 'attach', tight, { asked: six, steps: [loseZone(1_000, zones[0])] }),
  'let-go': letGo,
  'two-groups': twoGroups,
  'policy-edit': policyEdit,
  rename: renamed,
  'moved-asg': movedAsg,
  return: returned,
  breaker: broken,
  'on-demand-floor': floored,
  'outside-scale-out': outsideScaleOut,
  'outside-scale-in': outsideScaleIn,
  'outside-return': outsideReturned,
  'outside-interruption': () => situation('outside-interruption', 'attach', outsideOptions, { asked: six, steps: [loseZone(1_000, zones[0])] }),
  'refilled-together': refilledTogether,
};
