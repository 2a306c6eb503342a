import { stopAllDrains, unheardStops } from '../sim/audit/draining.ts';
import { scripted } from '../sim/audit/scripted.ts';
import { holdToQuota } from '../sim/capacity-steps.ts';
import { rename } from '../sim/edit-steps.ts';
import type { Situation } from '../sim/situation.ts';
import { deletePolicy, endThroughAsg, interrupt, putPolicy, setSpot } from '../sim/steps.ts';
import { groupIn, plainLandscape, settingOf, specOf, zones } from '../sim/worlds.ts';

const of = scripted(900_000);
const asked = { web: { size: 6, endsAt: 6 } };
const names = ['web', 'admin'] as const;

/** Worlds in which a change of the owner meets a loss within seconds. */
export const meetingSituations = {
  'a policy drops a target group, and members are warned': (): Situation => {
    const landscape = { ...plainLandscape, spot: 6, targetGroups: names.map((name) => ({ name, deregistrationDelaySeconds: 20 })) };
    const placed = groupIn(landscape, { name: 'web', holding: 'tag', size: 6, targetGroups: names });
    const drain = placed.policy.drain as { readonly loadBalancers: readonly string[] };
    const fewer = { ...placed.policy, drain: { ...drain, loadBalancers: drain.loadBalancers.slice(0, 1) } };
    const setting = { spec: specOf(landscape, placed.asgs), policy: placed.policy };
    return of('a policy drops a target group, and members are warned', setting, {
      asked,
      steps: [putPolicy(5_000, fewer, 'the policy drops a target group'), interrupt(40_000, 2)],
    });
  },
  'a policy changes twice while the event bus takes nothing': (): Situation => {
    const setting = settingOf('tag');
    const other = { ...setting.policy, tags: { run: 'other' } };
    return of('a policy changes twice while the event bus takes nothing', setting, {
      asked,
      steps: [putPolicy(5_000, other, 'the policy gets other tags'), putPolicy(20_000, setting.policy, 'the first policy is written again')],
      faults: [{ on: 'call', kind: 'throttle', match: { operation: 'PutEvents' }, fromMs: 5_000, untilMs: 30_000 }],
    });
  },
  'the account has no room for spot when EC2 takes members': (): Situation =>
    of('the account has no room for spot when EC2 takes members', settingOf('tag'), {
      asked,
      steps: [holdToQuota(5_000, 240_000, 'spot', 0), interrupt(10_000, 2)],
      calmAtMs: 320_000,
    }),
  'members are warned while there is no policy': (): Situation => {
    const setting = settingOf('tag');
    return of('members are warned while there is no policy', setting, {
      asked,
      steps: [deletePolicy(5_000), interrupt(20_000, 2), putPolicy(60_000, setting.policy, 'the policy is written again')],
    });
  },
  'a user stops the drain of a warned member, and the event is lost': (): Situation =>
    // The drain waits for replacements until it must begin.
    of('a user stops the drain of a warned member, and the event is lost', settingOf('tag', { pendingSeconds: [150, 150] }), {
      asked,
      steps: [interrupt(1_000, 2), stopAllDrains(15_000)],
      faults: [unheardStops],
      calmAtMs: 240_000,
    }),
  'messages about hooks are lost while connections outlast them': (): Situation => {
    // The tick at 91 s finds the hooks when more than half of their time-out is over.
    const hooks = [{ name: 'drain', transition: 'terminating', heartbeatSeconds: 90, defaultResult: 'CONTINUE' }] as const;
    const policy = { drain: { timeout: '3m' } };
    return of('messages about hooks are lost while connections outlast them', settingOf('attach', { hooks, delaySeconds: 150, policy }), {
      asked,
      steps: [endThroughAsg(35_000, 2)],
      faults: [{ on: 'event', kind: 'drop', match: { detailType: 'EC2 Instance-terminate Lifecycle Action' } }],
      calmAtMs: 420_000,
    });
  },
  'a group is renamed, and its new name is there before the old one goes': (): Situation => {
    const setting = settingOf('attach');
    return of('a group is renamed, and its new name is there before the old one goes', setting, {
      asked: { web: { size: 6 } },
      steps: [rename(5_000, setting.policy, 'renamed', 20_000, 'write-first')],
      // The function of the tick reads its groups anew meanwhile.
      calmAtMs: 480_000,
    });
  },
  'a group grows, and its first choice has one instance left': (): Situation => {
    const setting = settingOf('tag', { policy: { capacity: { tiered: ['spot-b', 'spot-a', 'od-b'] } } });
    const larger = { ...setting.policy, size: 9 };
    return of('a group grows, and its first choice has one instance left', setting, {
      asked: { web: { size: 6, endsAt: 9 } },
      steps: [setSpot(1_000, [zones[1]], 7), putPolicy(2_000, larger, 'the policy wants three more')],
    });
  },
  'writes take from a moment to a second while members are warned': (): Situation => {
    const { spec, policy } = settingOf('tag');
    const latencyMs = { ...spec.timing.latencyMs, 'dynamodb:PutItem': [5, 1_200] } as const;
    return of(
      'writes take from a moment to a second while members are warned',
      { spec: { ...spec, timing: { ...spec.timing, latencyMs } }, policy },
      { asked, steps: [1_000, 20_000, 40_000, 60_000, 80_000].map((atMs) => interrupt(atMs, 1)) },
    );
  },
};
