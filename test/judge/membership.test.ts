import { describe, expect, it } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { poolOf } from '../../sandbox/judge/policy/pools.ts';
import { historyOf, policy, react, type Script, spec } from './histories.ts';

const attached = { ...policy, asg: 'web-asg' };
const untagged = { by: { kind: 'asg', asg: 'web-asg', why: 'size' }, asg: 'web-asg' } as const;

const groupAt = (second: number, write: (script: Script) => void): string | undefined => {
  const chronicle = chronicleOf(historyOf(write));
  const life = chronicle.life('i-1');
  return life && chronicle.groupAt(life, 1_000 * second);
};

describe('a member of an Auto Scaling group', () => {
  it('belongs to the group whose policy names it', () => {
    expect(
      groupAt(50, (script) => {
        script.policy(0, 1, attached);
        script.member('i-1', untagged);
      }),
    ).toBe('web');
  });

  it('still belongs to the group that named it before, when no group names it any more', () => {
    expect(
      groupAt(80, (script) => {
        script.policy(0, 1, attached);
        script.member('i-1', untagged);
        script.policy(70, 2, policy);
      }),
    ).toBe('web');
  });

  it('belongs to another group as soon as that group names it', () => {
    expect(
      groupAt(80, (script) => {
        script.policy(0, 1, attached);
        script.member('i-1', untagged);
        script.policy(70, 2, policy);
        script.policy(75, 1, { ...attached, group: 'next' }, 'next');
      }),
    ).toBe('next');
  });

  it('belongs to no group once its group was let go, also when that group comes back without it', () => {
    expect(
      groupAt(90, (script) => {
        script.policy(0, 1, attached);
        script.member('i-1', untagged);
        script.letGo(70);
        script.policy(80, 2, policy);
      }),
    ).toBeUndefined();
  });

  describe('that Holdfast had launched, once its group was let go', () => {
    const launched = { by: react('i-a'), asg: 'web-asg' };
    const takenUpWith = (next: object, second: number): string | undefined =>
      groupAt(second, (script) => {
        script.policy(0, 1, attached);
        script.member('i-1', launched);
        script.letGo(70);
        script.policy(80, 2, { ...policy, ...next });
      });
    it('belongs to no group when its group comes back with another Auto Scaling group: its owner has it', () => {
      expect(takenUpWith({ asg: 'other-asg' }, 90)).toBeUndefined();
    });
    it('belongs to the group again when its policy names the same one', () => {
      expect(takenUpWith({ asg: 'web-asg' }, 90)).toBe('web');
    });
    it('belongs to the group of its tag while the group is let go, and when it comes back by tag', () => {
      expect(takenUpWith({ asg: 'other-asg' }, 75)).toBe('web');
      expect(takenUpWith({}, 90)).toBe('web');
    });
  });
});

describe('the pool that an instance without a pool tag counts to', () => {
  const autoScalingGroups = spec.autoScalingGroups.map((asg) => ({ ...asg, subnets: ['subnet-a'], market: 'spot' as const }));
  const poolFor = (asg: string, pool: object): string | undefined => {
    const chronicle = chronicleOf(
      historyOf(
        (script) => {
          script.policy(0, 1, { ...policy, pools: { ...policy.pools, 'spot-a': pool } });
          script.member('i-1', { by: { kind: 'asg', asg, why: 'size' }, asg });
        },
        { spec: { ...spec, autoScalingGroups } },
      ),
    );
    const life = chronicle.life('i-1');
    const inForce = chronicle.policyAt('web', 50_000);
    return life && inForce && poolOf(life, inForce, 50_000);
  };
  it('is the one that could have launched it', () => {
    expect(poolFor('web-asg', policy.pools['spot-a'])).toBe('spot-a');
  });
  it('is the one that is its Auto Scaling group', () => {
    expect(poolFor('web-asg', { market: 'spot', asg: 'web-asg' })).toBe('spot-a');
  });
  it('is none where the pool of its offering is another Auto Scaling group', () => {
    expect(poolFor('former-asg', { market: 'spot', asg: 'web-asg' })).toBeUndefined();
  });
});
