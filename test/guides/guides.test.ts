import { describe, expect, it } from 'vitest';
import { setBy } from '../sim/outside-steps.ts';
import { type Guide, playGuide, story } from './guide.ts';

const wants = [
  { atSeconds: 0, value: 2 },
  { atSeconds: story.grows, value: 6 },
  { atSeconds: story.shrinks, value: 3 },
  { atSeconds: story.growsAgain, value: 6 },
];
const every = { everySeconds: 10, wants };
const hook = { name: 'drain', transition: 'terminating', heartbeatSeconds: 60, defaultResult: 'CONTINUE' } as const;
const guarded = { protectsNew: true, suspended: ['AZRebalance'] };

/** Whether members that Holdfast launched on demand move back to spot: nobody protects them, and the policy does not keep them. */
type Back = 'move' | 'stay';

/** The group is its scaler's at any time: on spot, without any, with spot again, smaller, larger again on spot, and let go. */
const obeys = async (guide: Guide, back: Back) => {
  const told = await playGuide(guide);
  expect(told.violations).toEqual([]);
  expect(told.at(story.spotIsOut)).toEqual({ desired: 6, spot: 6, onDemand: 0 });
  expect(told.at(story.spotIsBack)).toEqual({ desired: 6, spot: 0, onDemand: 6 });
  const on = (members: number) => (back === 'move' ? { spot: members, onDemand: 0 } : { spot: 0, onDemand: members });
  expect(told.at(story.shrinks)).toEqual({ desired: 6, ...on(6) });
  expect(told.at(story.growsAgain)).toEqual({ desired: 3, ...on(3) });
  // Whom the scaler needs next comes from spot in any case.
  expect(told.at(story.letGo)).toEqual({ desired: 6, spot: 3 + on(3).spot, onDemand: on(3).onDemand });
  expect(told.at(story.ends)).toEqual(told.at(story.letGo));
  expect(told.ends.suspended).toEqual(['AZRebalance']);
  return told;
};

describe('a guide, from an existing group to spot with on demand behind it, and back', () => {
  it('a Buildkite stack', async () => {
    const { ends, warnings } = await obeys({ guide: 'buildkite', scaler: (asg) => ({ kind: 'buildkite', asg, ...every }) }, 'stay');
    expect(ends).toEqual({ min: 0, max: 20, suspended: ['AZRebalance'] });
    expect(warnings).toMatchObject([expect.stringContaining('terminating lifecycle hook')]);
  });

  it('a Buildkite stack with a scaler that writes the desired capacity alone', async () => {
    await obeys({ guide: 'buildkite', scaler: (asg) => ({ kind: 'absolute', asg, ...every }) }, 'stay');
  });

  it('GitLab fleeting', async () => {
    const { ends } = await obeys({ guide: 'gitlab-fleeting', existing: guarded, scaler: (asg) => ({ kind: 'fleeting', asg, ...every }) }, 'stay');
    expect(ends).toEqual({ min: 0, max: 20, suspended: ['AZRebalance'] });
  });

  it('a Jenkins EC2 fleet', async () => {
    const { ends } = await obeys(
      {
        guide: 'jenkins-ec2-fleet',
        existing: { protectsNew: true },
        scaler: (asg) => ({ kind: 'ec2-fleet', asg, ...every }),
      },
      'stay',
    );
    expect(ends).toEqual({ min: 0, max: 20, suspended: ['AZRebalance'] });
  });

  it('an ECS capacity provider with managed scaling', async () => {
    const tasks = wants.map(({ atSeconds, value }) => ({ atSeconds, value: 4 * value }));
    await obeys(
      {
        guide: 'ecs-capacity-provider',
        existing: { protectsNew: true },
        scaler: (asg) => ({ kind: 'ecs', asg, tasks, tasksPerInstance: 4 }),
      },
      'stay',
    );
  });

  it('target tracking behind a load balancer', async () => {
    const load = wants.map(({ atSeconds, value }) => ({ atSeconds, value: 10 * value }));
    const { warnings } = await obeys(
      {
        guide: 'target-tracking',
        isServed: true,
        existing: { hooks: [hook] },
        scaler: (asg) => ({ kind: 'target-tracking', asg, perInstance: 10, load }),
      },
      'move',
    );
    expect(warnings).toEqual([]);
  });

  it('target tracking of a group whose lifecycle policy retains what a hook abandons: nothing is abandoned', async () => {
    const load = wants.map(({ atSeconds, value }) => ({ atSeconds, value: 10 * value }));
    const { retained } = await obeys(
      {
        guide: 'target-tracking',
        isServed: true,
        existing: { hooks: [{ ...hook, defaultResult: 'ABANDON' }], retains: true },
        scaler: (asg) => ({ kind: 'target-tracking', asg, perInstance: 10, load }),
      },
      'move',
    );
    expect(retained).toEqual([]);
  });

  describe('Terraform owns the group', () => {
    const scaler: Guide['scaler'] = (asg) => ({ kind: 'person', asg, wants: wants.map((one) => ({ ...one, atSeconds: one.atSeconds + 5 })) });
    const applied = (ignoresDesired: boolean): Guide => ({
      guide: 'terraform',
      isServed: true,
      existing: { hooks: [hook] },
      scaler,
      also: ({ asg }) => [
        setBy(
          0,
          {
            kind: 'terraform',
            asg,
            ignoresDesired,
            applies: [
              { atSeconds: 300, value: 2 },
              { atSeconds: 700, value: 2 },
            ],
          },
          3_600_000,
        ),
      ],
    });

    it('and leaves the desired capacity alone', async () => {
      await obeys(applied(true), 'move');
    });

    it('and writes it: the group is as small as it says, and nothing else is broken', async () => {
      const { violations, at } = await playGuide(applied(false));
      expect(violations).toEqual([]);
      expect(at(story.spotIsBack)).toEqual({ desired: 2, spot: 0, onDemand: 2 });
    });
  });
});
