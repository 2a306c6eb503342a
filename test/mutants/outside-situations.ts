import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { noCapacity } from '../sim/capacity-steps.ts';
import { rename } from '../sim/edit-steps.ts';
import { deleteAsg, moveBound, suspend } from '../sim/operator-steps.ts';
import { setBy } from '../sim/outside-steps.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { deletePolicy, interrupt, kill, putPolicy } from '../sim/steps.ts';
import { type SettingOptions, settingOf, zones } from '../sim/worlds.ts';

const sized = { size: { from: 'asg', min: 0, max: 20 }, return: { after: '1m', every: '1m', atMost: 2 } };

const endsAt = (size: number): Pick<Situation, 'asked'> => ({ asked: { web: { size: 6, endsAt: size } } });

const of = (name: string, options: SettingOptions, steps: readonly Step[], faults: readonly FaultInput[] = []): Situation => {
  const { spec, policy } = settingOf('attach', { size: 6, max: 20, policy: sized, ...options });
  const lastsMs = Math.max(0, ...steps.map(({ atMs, lastsMs: forMs = 0 }) => atMs + forMs));
  return {
    name,
    seed: 1,
    spec,
    policies: [policy],
    asked: { web: { size: 6, endsAt: 6 } },
    steps,
    ...(faults.length > 0 && { faults }),
    calmAtMs: lastsMs + 900_000,
    restWithinMs: 600_000,
  };
};

/** Two members are missing until Holdfast attaches them on demand. Describes of the group are late. */
const late: SettingOptions = { market: 'spot', spot: 2, asgLagSeconds: [4, 4] };

/** Spot is gone for good, and takes two members with it. Holdfast attaches two on demand. */
const onDemandOnly: SettingOptions = { market: 'spot' };
const spotIsGone = [noCapacity(500, 840_000, ['spot'], zones), interrupt(1_000, 2)];
const policyOf = (options: SettingOptions, change: object = {}) =>
  settingOf('attach', { size: 6, max: 20, policy: { ...sized, ...change }, ...options }).policy;

/** The function that attaches is killed after the call. */
const diesAttaching = (rest: object = {}): FaultInput => ({
  on: 'call',
  kind: 'crash-caller',
  when: 'after',
  times: 1,
  match: { operation: 'AttachInstances' },
  ...rest,
});

/** Auto Scaling refuses changes of the group's numbers so often, because an activity is in progress. */
const busy = (often: { readonly times?: number; readonly nth?: number }): FaultInput => ({
  on: 'call',
  kind: 'error',
  code: 'ScalingActivityInProgress',
  ...often,
  match: { operation: 'UpdateAutoScalingGroup' },
});

/** The first attempt to suspend processes has no response for five seconds and was not carried out. The second one is. */
const suspendsLate: FaultInput = {
  on: 'call',
  kind: 'lose-answer',
  when: 'before',
  as: 'timeout',
  afterMs: 5_000,
  times: 1,
  match: { operation: 'SuspendProcesses' },
};

/** Worlds in which others set the size of a group, and spot comes back, or something meets an attach. */
export const outsideSituations = {
  'spot comes back to a group that others size': (): Situation =>
    of('spot comes back to a group that others size', { market: 'spot' }, [noCapacity(500, 60_000, ['spot'], zones), interrupt(1_000, 3)]),
  'paused while a member moves where others set the size': (): Situation => {
    const { policy } = settingOf('attach', { size: 6, max: 20, market: 'spot', policy: sized });
    const paused = putPolicy(252_000, { ...policy, mode: 'pause' }, 'the mode becomes pause', 'mode-edited');
    const steps = [noCapacity(500, 60_000, ['spot'], zones), interrupt(1_000, 2), paused];
    return of('paused while a member moves where others set the size', { market: 'spot' }, steps);
  },
  'a scaler wants more than the maximum': (): Situation => {
    const wants = [{ atSeconds: 0, value: 9 }];
    const steps = [setBy(1_000, { kind: 'absolute', asg: 'web-asg', everySeconds: 1, wants }, 180_000)];
    // A look must meet the raised maximum. The function that attaches dies, so the maximum stays raised until the next look, five seconds later.
    return { ...of('a scaler wants more than the maximum', { market: 'spot', spot: 2, max: 8 }, steps, [diesAttaching()]), ...endsAt(8) };
  },
  'somebody sets the number that an attach had made': (): Situation => {
    // Holdfast lowers the number before 28 s: the describes before that show no new member.
    const steps = [...spotIsGone, setBy(32_000, { kind: 'person', asg: 'web-asg', wants: [{ atSeconds: 0, value: 8 }] }, 5_000)];
    return { ...of('somebody sets the number that an attach had made', { ...onDemandOnly, asgLagSeconds: [5, 5] }, steps), ...endsAt(8) };
  },
  'others lower the size right before members join': (): Situation => {
    // Two members join at 17 s. Five seconds later a look sees the lower size, and not these members.
    const steps = [...spotIsGone, setBy(15_000, { kind: 'person', asg: 'web-asg', wants: [{ atSeconds: 0, value: 4 }] }, 5_000)];
    const name = 'others lower the size right before members join';
    return { ...of(name, { ...onDemandOnly, asgLagSeconds: [5, 5] }, steps), asked: { web: { size: 6 } } };
  },
  'a scaler wants more than the policy allows': (): Situation => {
    const wants = [{ atSeconds: 0, value: 9 }];
    const steps = [setBy(1_000, { kind: 'absolute', asg: 'web-asg', everySeconds: 1, wants }, 180_000)];
    const policy = { ...sized, size: { from: 'asg', min: 0, max: 7 } };
    const more = putPolicy(300_000, policyOf(late), 'the policy allows twenty');
    return { ...of('a scaler wants more than the policy allows', { ...late, policy }, [...steps, more]), ...endsAt(9) };
  },
  'a person sets more than the policy allows': (): Situation => {
    const steps = [setBy(1_000, { kind: 'person', asg: 'web-asg', wants: [{ atSeconds: 0, value: 9 }] }, 5_000), interrupt(120_000, 1)];
    const policy = { ...sized, size: { from: 'asg', min: 0, max: 7 } };
    return { ...of('a person sets more than the policy allows', { market: 'spot', spot: 2, policy }, steps), ...endsAt(7) };
  },
  'members come one by one while what they added stays': (): Situation => {
    const steps = [...spotIsGone, interrupt(15_000, 1), interrupt(30_000, 1)];
    return of('members come one by one while what they added stays', onDemandOnly, steps, [diesAttaching(), busy({ times: 12 })]);
  },
  'a function dies while members join beyond the maximum': (): Situation =>
    of('a function dies while members join beyond the maximum', { ...onDemandOnly, max: 7 }, spotIsGone, [
      diesAttaching(),
      // The first change raises the maximum. The second one is to take off what the attach added.
      busy({ nth: 2 }),
    ]),
  'its owner sets the maximum soon to which Holdfast had raised it': (): Situation => {
    // Two members join at 17 s, and the maximum is 8 for some seconds. Describes are up to four seconds late.
    const steps = [...spotIsGone, moveBound(35_000, 'web-asg', 'max', 1)];
    return of('its owner sets the maximum soon to which Holdfast had raised it', { ...onDemandOnly, max: 7, asgLagSeconds: [4, 4] }, steps);
  },
  'let go while members join': (): Situation => {
    const back = putPolicy(200_000, policyOf(onDemandOnly), 'the policy comes back');
    return of('let go while members join', onDemandOnly, [...spotIsGone, deletePolicy(19_000), back], [diesAttaching()]);
  },
  'let go while a function is late to suspend processes': (): Situation =>
    of('let go while a function is late to suspend processes', onDemandOnly, [...spotIsGone, deletePolicy(2_000)], [suspendsLate]),
  'renamed while a function is late to suspend processes': (): Situation => {
    // The late call is applied at 6.8 s. The first look of the new name, at 7.4 s, finds the processes suspended and does not suspend them itself. The next look
    // of the old name, at 10.3 s, leaves them to the new one.
    const steps = [...spotIsGone, rename(2_000, policyOf(onDemandOnly), 'api', 3_700)];
    const name = 'renamed while a function is late to suspend processes';
    return { ...of(name, onDemandOnly, steps, [suspendsLate]), asked: { web: { size: 6 } } };
  },
  'a member is lost right after processes were resumed': (): Situation => {
    // Two members join, and the processes are resumed at 64 s. A describe shows them as suspended for eight seconds more.
    const steps = [...spotIsGone, interrupt(65_000, 1)];
    return of('a member is lost right after processes were resumed', { ...onDemandOnly, asgLagSeconds: [8, 8] }, steps);
  },
  'a member ends right after processes were resumed': (): Situation => {
    // The group replaces it, because Launch runs again. A describe shows it as suspended for eight seconds more.
    const steps = [noCapacity(500, 50_000, ['spot'], zones), interrupt(1_000, 2), kill(69_900, 1)];
    return of('a member ends right after processes were resumed', { ...onDemandOnly, asgLagSeconds: [8, 8] }, steps);
  },
  'a member that moves dies before it joins': (): Situation => {
    const seldom = { return: { after: '1m', every: '1h', atMost: 1 } };
    const steps = [noCapacity(500, 60_000, ['spot'], zones), interrupt(1_000, 2), kill(252_000, 1)];
    const dies = diesAttaching({ when: 'before', fromMs: 200_000 });
    return of('a member that moves dies before it joins', { market: 'spot', policy: { ...sized, ...seldom } }, steps, [dies]);
  },
  'a group that others size is deleted while members join': (): Situation => {
    const steps = [...spotIsGone, deleteAsg(12_000, 'web-asg', true)];
    return { ...of('a group that others size is deleted while members join', onDemandOnly, steps), ...endsAt(0) };
  },
  'others set a larger size while what an attach added stays': (): Situation => {
    // Two members join at 18 s, and their function dies. The next look comes five seconds later.
    const steps = [...spotIsGone, setBy(20_000, { kind: 'person', asg: 'web-asg', wants: [{ atSeconds: 0, value: 9 }] }, 5_000)];
    return { ...of('others set a larger size while what an attach added stays', onDemandOnly, steps, [diesAttaching()]), ...endsAt(9) };
  },
  'its owner suspends Terminate soon after Holdfast resumed it': (): Situation =>
    of('its owner suspends Terminate soon after Holdfast resumed it', onDemandOnly, [
      noCapacity(500, 840_000, ['spot'], zones),
      kill(1_000, 1),
      suspend(45_000, 'web-asg', 'Terminate', 3_600_000),
    ]),
  'its owner has suspended Terminate for good': (): Situation =>
    of('its owner has suspended Terminate for good', onDemandOnly, [suspend(250, 'web-asg', 'Terminate', 3_600_000), ...spotIsGone]),
  'its owner suspends Terminate for two minutes': (): Situation =>
    of('its owner suspends Terminate for two minutes', onDemandOnly, [suspend(250, 'web-asg', 'Terminate', 120_000), ...spotIsGone]),
  'others want more than the maximum as members join one by one': (): Situation => {
    const wants = [{ atSeconds: 0, value: 8 }];
    const scaler = setBy(12_000, { kind: 'absolute', asg: 'web-asg', everySeconds: 1, wants }, 60_000);
    const steps = [...spotIsGone, scaler, interrupt(15_000, 1), interrupt(30_000, 1)];
    const name = 'others want more than the maximum as members join one by one';
    return { ...of(name, { ...onDemandOnly, max: 7 }, steps, [diesAttaching()]), ...endsAt(7) };
  },
  'a group that others size launches on demand by itself': (): Situation =>
    of('a group that others size launches on demand by itself', { market: 'on-demand' }, []),
};
