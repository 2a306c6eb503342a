import { playMany } from '../../bench/many.ts';
import { missedGoals } from '../../bench/many-goals.ts';
import type { ManyStorm } from '../../bench/many-world.ts';
import { playStorm, type Storm } from '../../bench/storm.ts';
import { playScenario, readScenario, startSandbox, toWorldSpec } from '../../sandbox/door.ts';
import { auditSituations } from '../sim/audit/situations.ts';
import type { Violation } from '../sim/invariants.ts';
import { play } from '../sim/play.ts';
import type { Situation } from '../sim/situation.ts';
import { stormsOf } from '../sim/storms.ts';
import { workflows } from '../sim/workflows.ts';
import type { HoldingKind } from '../sim/worlds.ts';
import { attackSituations } from './attack-situations.ts';
import { boundSituations } from './bound-situations.ts';
import {
  type Check,
  drainedInFull,
  endsIn,
  endsOnSpot,
  launchedWithin,
  leftToEc2,
  neverFewerThan,
  nothingExcused,
  replacedBefore,
  saysShortfall,
  straysGetTime,
  wakesAtMost,
} from './checks.ts';
import { harmSituations } from './harm-situations.ts';
import { meetingSituations } from './meeting-situations.ts';
import { modeSituations } from './mode-situations.ts';
import { obeyingSituations } from './obeying-situations.ts';
import { obviousSituations } from './obvious-situations.ts';
import { outsideSituations } from './outside-situations.ts';
import { ownScalingSituations } from './own-scaling-situations.ts';
import { priceSituations } from './price-situations.ts';
import { promiseSituations } from './promise-situations.ts';
import { refillSituations } from './refill-situations.ts';
import { reviewerSituations } from './reviewer-situations.ts';
import { clocksJump, seldomSituations } from './seldom-situations.ts';
import { shareSituations } from './share-situations.ts';
import { situations } from './situations.ts';
import { spareSituations } from './spare-situations.ts';
import { strangerSituations } from './stranger-situations.ts';
import { tiredSituations } from './tired-situations.ts';
import { largeGroups, smallGroups, turnSituations } from './turn-situations.ts';
import { versionSituations } from './version-situations.ts';
import { weightSituations } from './weight-situations.ts';

/** Plays one simulation with the functions of this assembly, and answers what it broke. */
type Run = (assembly: string) => Promise<readonly Violation[]>;

const situation =
  (make: () => Situation, ...checks: readonly Check[]): Run =>
  async (assembly) => {
    const { violations, evidence } = await play(make(), { assembly });
    return [...violations, ...checks.flatMap((check) => check(evidence))];
  };

const workflow = (name: string, ...checks: readonly Check[]): Run =>
  situation(
    () => {
      const make = workflows[name];
      if (make === undefined) throw new Error(`The simulation has no workflow ${name}.`);
      return make();
    },
    ...checks,
  );

const storm = (holding: HoldingKind, about: string): Run =>
  situation(() => {
    const found = stormsOf(holding).find(({ name }) => name === `${holding}: ${about}`);
    if (found === undefined) throw new Error(`The simulation has no storm called ${about}.`);
    return found;
  });

const scenario =
  (name: string): Run =>
  async (assembly) => {
    const read = await readScenario(name);
    const sandbox = await startSandbox({ mode: 'simulated', spec: toWorldSpec(read.world), seed: read.seed, assembly });
    try {
      const { invariants } = await playScenario(sandbox, read);
      return invariants.filter(({ ok }) => !ok).map(({ name: invariant, detail }) => ({ invariant, detail: [detail] }));
    } finally {
      await sandbox.close();
    }
  };

/** A storm over many groups keeps the goals of its bench. */
const manyGroups =
  (storm: ManyStorm): Run =>
  async (assembly) =>
    missedGoals(await playMany(storm, assembly)).map((missed) => ({ invariant: 'goals of a storm', detail: [missed] }));

/** A group that is larger than the bucket of launched instances keeps its size when all of it is warned. */
const oneGroup =
  (storm: Storm, { requestedMs }: { readonly requestedMs: number }): Run =>
  async (assembly) => {
    const { allRequestedMs, lowestServing, throttled } = await playStorm(storm, assembly);
    const found = [
      ...(allRequestedMs > requestedMs ? [`the last is requested after ${allRequestedMs} ms`] : []),
      ...(lowestServing < storm.size ? [`${lowestServing} of ${storm.size} serve at the fewest`] : []),
      ...(throttled > 0 ? [`${throttled} calls are throttled`] : []),
    ];
    return found.map((missed) => ({ invariant: 'goals of a storm', detail: [missed] }));
  };

const inMode = (name: keyof typeof modeSituations, ...checks: readonly Check[]): Run => situation(modeSituations[name], ...checks);

const sharing = (name: keyof typeof shareSituations): Run => situation(shareSituations[name]);

const withSpare = (name: keyof typeof spareSituations, ...checks: readonly Check[]): Run => situation(spareSituations[name], ...checks);

const bounded = (name: keyof typeof boundSituations): Run => situation(boundSituations[name]);

const refilled = (name: keyof typeof refillSituations): Run => situation(refillSituations[name]);

const versioned = (name: keyof typeof versionSituations): Run => situation(versionSituations[name]);

const priced = (name: keyof typeof priceSituations): Run => situation(priceSituations[name]);

const attacked = (name: keyof typeof attackSituations): Run => situation(attackSituations[name]);

const seldom = (name: keyof typeof seldomSituations): Run => situation(seldomSituations[name]);

const promisedIn = (name: keyof typeof promiseSituations): Run => situation(promiseSituations[name]);
/** A run of each of these situations, by its name. */
const eachOf = <Name extends string>(made: Readonly<Record<Name, () => Situation>>): Readonly<Record<Name, Run>> =>
  Object.fromEntries(Object.entries<() => Situation>(made).map(([name, make]) => [name, situation(make)])) as Record<Name, Run>;

const whileClocksJump =
  (name: keyof typeof seldomSituations, of = /react/): Run =>
  async (assembly) =>
    (await play(seldomSituations[name](), { assembly, onReady: clocksJump(of) })).violations;

const meeting = (name: keyof typeof meetingSituations): Run => situation(meetingSituations[name]);

/** A world that an audit’s fault was put back in. */
const audited = (name: string): Run =>
  situation(() => {
    const make = auditSituations[name];
    if (make === undefined) throw new Error(`The audit has no situation ${name}.`);
    return make();
  });

const sizedByOthers = (name: keyof typeof outsideSituations, ...checks: readonly Check[]): Run => situation(outsideSituations[name], ...checks);

const weighed = (name: keyof typeof weightSituations, ...checks: readonly Check[]): Run => situation(weightSituations[name], ...checks);

const own = (name: keyof typeof situations, ...checks: readonly Check[]): Run => situation(situations[name], ...checks);

/** Every simulation that mutants go through. All of them must hold with the code as it is. */
export const runs = {
  'interruption, own group': workflow('interruption-tag', neverFewerThan(6), leftToEc2),
  'interruption, attached': workflow('interruption-attach', neverFewerThan(6)),
  refusal: workflow('refusal', neverFewerThan(6), launchedWithin(9_000)),
  rebalance: workflow('rebalance', neverFewerThan(6)),
  'scale-in': workflow('scale-in', neverFewerThan(4)),
  'a size that others lower': workflow('outside-scale-in'),
  'a size that others raise': workflow('outside-scale-out', neverFewerThan(6)),
  'interruption, a size that others set': workflow('outside-interruption', neverFewerThan(6)),
  'spot comes back to a group that others size': sizedByOthers('spot comes back to a group that others size', neverFewerThan(6), endsOnSpot),
  'paused while a member moves where others set the size': sizedByOthers('paused while a member moves where others set the size'),
  'a group that others size launches on demand by itself': sizedByOthers('a group that others size launches on demand by itself', endsIn({})),
  'a scaler wants more than the maximum': sizedByOthers('a scaler wants more than the maximum'),
  'somebody sets the number that an attach had made': sizedByOthers('somebody sets the number that an attach had made'),
  'let go while a function is late to suspend processes': sizedByOthers('let go while a function is late to suspend processes'),
  'renamed while a function is late to suspend processes': sizedByOthers('renamed while a function is late to suspend processes'),
  'others lower the size right before members join': sizedByOthers('others lower the size right before members join'),
  'a scaler wants more than the policy allows': sizedByOthers('a scaler wants more than the policy allows'),
  'a person sets more than the policy allows': sizedByOthers('a person sets more than the policy allows'),
  'its owner sets the maximum soon to which Holdfast had raised it': sizedByOthers('its owner sets the maximum soon to which Holdfast had raised it'),
  'members come one by one while what they added stays': sizedByOthers('members come one by one while what they added stays'),
  'a function dies while members join beyond the maximum': sizedByOthers('a function dies while members join beyond the maximum'),
  'let go while members join': sizedByOthers('let go while members join'),
  'a group that others size is deleted while members join': sizedByOthers('a group that others size is deleted while members join'),
  'others want more than the maximum as members join one by one': sizedByOthers('others want more than the maximum as members join one by one'),
  'others set a larger size while what an attach added stays': sizedByOthers('others set a larger size while what an attach added stays'),
  'its owner has suspended Terminate for good': sizedByOthers('its owner has suspended Terminate for good'),
  'its owner suspends Terminate for two minutes': sizedByOthers('its owner suspends Terminate for two minutes'),
  'a member that moves dies before it joins': sizedByOthers('a member that moves dies before it joins'),
  'weights come while members are on their way': weighed('weights come while members are on their way'),
  'weights come to a group at its maximum': weighed('weights come to a group at its maximum'),
  'weights come while what an attach added stays': weighed('weights come while what an attach added stays'),
  'weights go while what an attach added stays': weighed('weights go while what an attach added stays'),
  'weights go, and a look comes at once': weighed('weights go, and a look comes at once', endsIn({})),
  'paused and smaller while members are on their way': weighed('paused and smaller while members are on their way'),
  'policy change': workflow('policy-change', neverFewerThan(6)),
  'killed after the launch': storm('tag', 'function killed after the launch'),
  'scenario zone-outage': scenario('zone-outage'),
  'rebalance, then warning': own('rebalance, then warning', drainedInFull),
  'pools list a dearer type first': priced('pools list a dearer type first'),
  'a loss long after prices were read': priced('a loss long after prices were read'),
  'rebalance and warning at once': own('rebalance and warning at once', drainedInFull),
  'warnings overlap': own('warnings overlap'),
  'killed once removals are claimed': own('killed once removals are claimed'),
  'alarm in its cooldown': own('alarm in its cooldown'),
  'alarm delivered twice': own('alarm delivered twice'),
  'alarm at the maximum': own('alarm at the maximum'),
  'alarm while the state cannot be read': own('alarm while the state cannot be read'),
  'pools with caps': own('pools with caps', endsIn({ 'spot-a': 2, 'spot-b': 2, 'spot-c': 2, 'od-b': 1, 'od-c': 1 })),
  'weights while launches are in flight': own('weights while launches are in flight', endsIn({ 'spot-a': 16, 'spot-b': 4 })),
  'equal pools': own('equal pools', endsIn({ 'spot-c': 2, 'spot-a': 1, 'spot-b': 1 })),
  'interrupted where capacity is left': own('interrupted where capacity is left', endsIn({ 'spot-a': 3, 'spot-c': 3 })),
  'throttled launches': own('throttled launches', launchedWithin(25_000), endsIn({ 'spot-a': 3, 'spot-c': 3 })),
  'launch answers lost': own('launch answers lost'),
  'refilled by its own group': own('refilled by its own group'),
  'own group finds nothing': own('own group finds nothing'),
  'its own launches die for long': refilled('its own launches die for long'),
  'its own launches die for a minute': refilled('its own launches die for a minute'),
  'its own launches die, it shrinks, and they die again later': refilled('its own launches die, it shrinks, and they die again later'),
  'its own launches die, come up, and die again soon': refilled('its own launches die, come up, and die again soon'),
  'a user ends its own launches before they run': refilled('a user ends its own launches before they run'),
  'its own launches died for long, a quarter of an hour ago': refilled('its own launches died for long, a quarter of an hour ago'),
  'its own launches died for long, and the policy is written': refilled('its own launches died for long, and the policy is written'),
  'hook of an hour': own('hook of an hour'),
  'hook shorter than the drain': own('hook shorter than the drain', drainedInFull),
  'protected members': own('protected members'),
  'surplus while replacements boot': own('surplus while replacements boot', neverFewerThan(6)),
  'spot becomes dear in a zone, and the group shrinks': own(
    'spot becomes dear in a zone, and the group shrinks',
    endsIn({ 'spot-a': 2, 'spot-c': 2 }),
  ),
  'stray instance': own('stray instance', straysGetTime(240_000)),
  'policy becomes invalid, then a loss': own('policy becomes invalid, then a loss'),
  'a second group wants the same Auto Scaling group': own('a second group wants the same Auto Scaling group'),
  'two groups, nobody hears': own('two groups, nobody hears'),
  'two groups': own('two groups'),
  'killed before the launch': own('killed before the launch'),
  'killed before the drain, and nobody hears': own('killed before the drain, and nobody hears', drainedInFull),
  'long after a launch': own('long after a launch'),
  'connections outlast the notice': own('connections outlast the notice', saysShortfall),
  'slow boots while warnings come one by one': own('slow boots while warnings come one by one', wakesAtMost(40)),
  'no launch has a response while warnings come one by one': own('no launch has a response while warnings come one by one'),
  'zones evened out by its own group': own('zones evened out by its own group'),
  'short pages of instances': own('short pages of instances'),
  'a list of instances that moves': own('a list of instances that moves'),
  'short pages of Auto Scaling groups': own('short pages of Auto Scaling groups', nothingExcused),
  'messages that are none': own('messages that are none'),
  return: workflow('return'),
  'scenario return-to-spot': scenario('return-to-spot'),
  'scenario zones-even-out': scenario('zones-even-out'),
  'scenario flapping-return': scenario('flapping-return'),
  'scenario observe': scenario('observe'),
  'scenario crash-loop': scenario('crash-loop'),
  'scenario breaker': scenario('breaker'),
  'scenario rebalance-advice': scenario('rebalance-advice'),
  'a pause while members are lost': inMode('a pause while members are lost'),
  'a pause while members wait for their turn': inMode('a pause while members wait for their turn'),
  'a pause while nobody is needed': inMode('a pause while nobody is needed'),
  'observed while a zone is lost': inMode('observed while a zone is lost'),
  'observed until a warned member can still be drained': inMode('observed until a warned member can still be drained', drainedInFull),
  'observed while a drain waits': inMode('observed while a drain waits'),
  'observed while an alarm asks for more': inMode('observed while an alarm asks for more'),
  'a floor on demand while spot is plentiful': sharing('a floor on demand while spot is plentiful'),
  'a floor that the policy raises': sharing('a floor that the policy raises'),
  'a floor while spot comes back': sharing('a floor while spot comes back'),
  'shares while members are lost': sharing('shares while members are lost'),
  'shares while spot comes back': sharing('shares while spot comes back'),
  'nothing gives for half an hour': attacked('nothing gives for half an hour'),
  'AWS will retire two members, and says so once': attacked('AWS will retire two members, and says so once'),
  'a share of an odd size': attacked('a share of an odd size'),
  'two alarms soon after each other': attacked('two alarms soon after each other'),
  'an alarm again in the second half of its cooldown': attacked('an alarm again in the second half of its cooldown'),
  'spot comes back in a window of the night before': attacked('spot comes back in a window of the night before'),
  'the state cannot be read while EC2 warns': attacked('the state cannot be read while EC2 warns'),
  'instances cannot be described while EC2 warns': attacked('instances cannot be described while EC2 warns'),
  'new members cannot be registered': attacked('new members cannot be registered'),
  'a hook holds warned members whose connections go on': attacked('a hook holds warned members whose connections go on'),
  'a group is let go for minutes': attacked('a group is let go for minutes'),
  'a function dies before its launch, and another member is warned': seldom('a function dies before its launch, and another member is warned'),
  'members are warned while another group attaches for long': seldom('members are warned while another group attaches for long'),
  'the clock of a function jumps while members are warned': whileClocksJump('the clock of a function jumps while members are warned'),
  'the clocks of drains jump while members are warned': whileClocksJump('the clock of a function jumps while members are warned', /drain/),
  'a policy drops a target group, and members are warned': meeting('a policy drops a target group, and members are warned'),
  'a policy changes twice while the event bus takes nothing': meeting('a policy changes twice while the event bus takes nothing'),
  'the account has no room for spot when EC2 takes members': meeting('the account has no room for spot when EC2 takes members'),
  'members are warned while there is no policy': meeting('members are warned while there is no policy'),
  'messages about hooks are lost while connections outlast them': meeting('messages about hooks are lost while connections outlast them'),
  'a group is renamed, and its new name is there before the old one goes': meeting(
    'a group is renamed, and its new name is there before the old one goes',
  ),
  'a group grows, and its first choice has one instance left': meeting('a group grows, and its first choice has one instance left'),
  'writes take from a moment to a second while members are warned': meeting('writes take from a moment to a second while members are warned'),
  'a user stops the drain of a warned member, and the event is lost': meeting('a user stops the drain of a warned member, and the event is lost'),
  'the warning of advised members comes after their end': seldom('the warning of advised members comes after their end'),
  'a policy names another pool while launches are denied': seldom('a policy names another pool while launches are denied'),
  'termination protection': audited('termination protection'),
  'a surplus cannot be ended for four minutes': promisedIn('a surplus cannot be ended for four minutes'),
  'advised members are stopped while they wait for their turn': promisedIn('advised members are stopped while they wait for their turn'),
  'EC2 takes members before their connections end': promisedIn('EC2 takes members before their connections end'),
  'EC2 spares members that a long hook holds': promisedIn('EC2 spares members that a long hook holds'),
  'a user stops drains that wait, and the delay is long': promisedIn('a user stops drains that wait, and the delay is long'),
  'a user stops drains of members on a hook': promisedIn('a user stops drains of members on a hook'),
  'the load balancer denies to take advised members out': promisedIn('the load balancer denies to take advised members out'),
  'spared members cannot be registered': promisedIn('spared members cannot be registered'),
  'members die while the drain of a surplus cannot start': promisedIn('members die while the drain of a surplus cannot start'),
  'the load balancer denies to take advised members of an Auto Scaling group out': promisedIn(
    'the load balancer denies to take advised members of an Auto Scaling group out',
  ),
  'an alarm of two hours ago comes': promisedIn('an alarm of two hours ago comes'),
  'an alarm acts late, and goes off again soon': promisedIn('an alarm acts late, and goes off again soon'),
  'the state table is emptied after an alarm': promisedIn('the state table is emptied after an alarm'),
  'a group that an alarm scales is let go and comes back': promisedIn('a group that an alarm scales is let go and comes back'),
  'an alarm comes after the state table was emptied': promisedIn('an alarm comes after the state table was emptied'),
  'others set the size of an observed group': promisedIn('others set the size of an observed group'),
  'a policy is written while launches are denied': promisedIn('a policy is written while launches are denied'),
  'launches are denied for two minutes': promisedIn('launches are denied for two minutes'),
  'its Auto Scaling group is deleted for ten minutes': promisedIn('its Auto Scaling group is deleted for ten minutes'),
  'the table cannot be read for a minute and a half': promisedIn('the table cannot be read for a minute and a half'),
  'a group is let go for whose Auto Scaling group another one waits': promisedIn('a group is let go for whose Auto Scaling group another one waits'),
  'the state table is emptied while a maximum is raised': promisedIn('the state table is emptied while a maximum is raised'),
  'the end of members is told ten minutes late': promisedIn('the end of members is told ten minutes late'),
  'advice of two hours ago comes': promisedIn('advice of two hours ago comes'),
  'a warning of an hour ago comes': promisedIn('a warning of an hour ago comes'),
  'AWS calls a retirement off': promisedIn('AWS calls a retirement off'),
  'a hook drain that somebody stops': audited('a hook drain that somebody stops'),
  'a version that is not the default one': versioned('a version that is not the default one'),
  'another version becomes the default one': versioned('another version becomes the default one'),
  'advice comes in waves': bounded('advice comes in waves'),
  'spot gives again after members were lost': bounded('spot gives again after members were lost'),
  'EC2 takes members slowly': bounded('EC2 takes members slowly'),
  'advised while a breaker is open over all that a group has': bounded('advised while a breaker is open over all that a group has'),
  'spot is refused each time that its rest is over': bounded('spot is refused each time that its rest is over'),
  'a member is lost, and spot gives no more': withSpare('a member is lost, and spot gives no more', neverFewerThan(6)),
  'a zone is lost to a group with two spares': withSpare('a zone is lost to a group with two spares'),
  'spot comes back for no more than the size': withSpare(
    'spot comes back for no more than the size',
    endsIn({ 'spot-a': 2, 'spot-b': 2, 'spot-c': 2 }),
  ),
  'spot comes back outside the window for returns': withSpare('spot comes back outside the window for returns', neverFewerThan(6)),
  'a spare above the maximum of its owner': withSpare('a spare above the maximum of its owner'),
  'a group with a spare becomes smaller': withSpare('a group with a spare becomes smaller', neverFewerThan(4)),
  ...eachOf(ownScalingSituations),
  'a storm of a thousand in one group': oneGroup({ holding: 'tag', size: 1_060, seed: 1 }, { requestedMs: 40_000 }),
  'forty groups lose a zone': manyGroups({ groups: 40, members: 15, case: 'zone', held: 'mixed', concurrency: 1_000, seed: 1 }),
  'a hundred groups lose a zone': manyGroups({ groups: 100, members: 10, case: 'zone', held: 'mixed', concurrency: 1_000, seed: 1 }),
  'twenty groups lose all their members': manyGroups({ groups: 20, members: 20, case: 'all', held: 'mixed', concurrency: 1_000, seed: 1 }),
  'ten groups of a hundred lose all their members': manyGroups({
    ...{ groups: 10, members: 100, case: 'all', held: 'mixed' },
    ...{ concurrency: 1_000, seed: 1 },
  }),
  'small and large groups lose all their members': situation(
    turnSituations['small and large groups lose all their members'],
    replacedBefore(
      smallGroups.map(({ name }) => name),
      largeGroups.map(({ name }) => name),
    ),
  ),
  'what a function reads first takes half of its time': situation(
    turnSituations['what a function reads first takes half of its time'],
    launchedWithin(30_000),
  ),
  'spot becomes dearer than its share of on-demand': withSpare('spot becomes dearer than its share of on-demand'),
  ...eachOf(reviewerSituations),
  ...eachOf(strangerSituations),
  ...eachOf(tiredSituations),
  ...eachOf(obviousSituations),
  ...eachOf(harmSituations),
  ...eachOf(obeyingSituations),
} satisfies Readonly<Record<string, Run>>;

export type RunName = keyof typeof runs;
