import { describe, expect, it } from 'vitest';
import type { PolicyVersion } from '../../core/policy/ports.ts';
import { claimAsgs } from '../../functions/accept-policy/claim-asgs.ts';
import { smallDocument } from '../policy/documents.ts';
import { createHouse, type House } from './house.ts';

const wants = (house: House, group: string, asg?: string): Promise<unknown> => {
  house.write(group, { ...smallDocument, group, ...(asg !== undefined && { asg }) });
  return house.accept(group);
};
const letsGo = (house: House, group: string): Promise<unknown> => {
  house.remove(group);
  return house.accept(group);
};
const statusOf = (house: House, group: string) => house.status(group)?.status;

describe('an Auto Scaling group', () => {
  it('goes to one of two groups that claim it at the same moment, in every order of steps', async () => {
    for (let pause = 1; pause <= 12; pause += 1) {
      const house = createHouse();
      await Promise.all([
        wants(house, 'web', 'workers-asg'),
        (async () => {
          for (let turn = 0; turn < pause; turn += 1) await Promise.resolve();
          return wants(house, 'api', 'workers-asg');
        })(),
      ]);
      expect([statusOf(house, 'web'), statusOf(house, 'api')].toSorted()).toEqual(['accepted', 'rejected']);
      expect([house.inForce('web'), house.inForce('api')].filter((version) => version !== undefined)).toHaveLength(1);
    }
  });

  it('is free again once its group is let go, and its next holder stores the name of the earlier one', async () => {
    const house = createHouse();
    await wants(house, 'web', 'workers-asg');
    await letsGo(house, 'web');
    await wants(house, 'api', 'workers-asg');
    expect(house.inForce('api')?.resolved).toMatchObject({ holding: { asg: 'workers-asg' }, after: ['web'] });
    await wants(house, 'api', 'workers-asg');
    expect(house.inForce('api')?.version).toBe(1);
  });

  it('that is held already costs a read of its claim, and no read of the policy in force', async () => {
    const asgs = ['a', 'b', 'c', 'd'].map((asg) => ({ path: ['asg'], asg }));
    const resolved = { holding: { kind: 'launch-instances' }, pools: { a: { asg: 'a' }, b: { asg: 'b' }, c: { asg: 'c' }, d: { asg: 'd' } } };
    const store = { claimOf: async (asg: string) => ({ asg, group: 'web', atMs: 0, before: [] }) };
    const inForce = { resolved } as unknown as PolicyVersion;
    const ports = { store, clock: { now: () => 1 } } as unknown as Parameters<typeof claimAsgs>[2];
    expect(await claimAsgs(asgs, { group: 'web', inForce }, ports)).toEqual({ kind: 'claimed', before: [], waited: [] });
  });

  it('that a policy moved away from is free once none of its members are left there', async () => {
    const house = createHouse();
    await wants(house, 'web', 'workers-asg');
    house.hold('web', ['workers-asg']);
    await wants(house, 'web');
    house.wait(600_000);
    await wants(house, 'api', 'workers-asg');
    expect(house.status('api')).toMatchObject({
      status: 'rejected',
      problems: [{ path: 'asg', found: '"workers-asg", which still has members of group web' }],
    });
    house.hold('web', []);
    await wants(house, 'api', 'workers-asg');
    expect(statusOf(house, 'api')).toBe('accepted');
  });

  it('is kept for a group whose run died on its way into force, and not forever', async () => {
    for (let call = 1; call <= 12; call += 1) {
      const dying = createHouse();
      dying.write('web', { ...smallDocument, group: 'web', asg: 'workers-asg' });
      dying.dieAt({ call, when: 'after' });
      await dying.accept('web').catch(() => undefined);
      dying.dieAt(undefined);
      dying.wait(600_000);
      await wants(dying, 'api', 'workers-asg');
      await dying.accept('web');
      expect([dying.inForce('web'), dying.inForce('api')].filter((version) => version !== undefined)).toHaveLength(1);
    }
  });

  it('stays free when the policy that requested it is refused for another one that is taken', async () => {
    const house = createHouse();
    const asks = (group: string, ...asgs: readonly string[]): Promise<unknown> => {
      const pools = Object.fromEntries(asgs.map((asg) => [asg, { asg }]));
      house.write(group, { group, size: 2, capacity: { tiered: asgs }, pools });
      return house.accept(group);
    };
    await asks('web', 'od-1b-asg');
    house.hold('web', ['od-1b-asg']);
    await wants(house, 'web');
    house.wait(600_000);
    await asks('api', 'spot-1a-asg', 'od-1b-asg');
    expect(statusOf(house, 'api')).toBe('rejected');
    await asks('lone', 'spot-1a-asg');
    expect(statusOf(house, 'lone')).toBe('accepted');
  });
});

describe('a policy that is rejected only because another group holds its Auto Scaling group', () => {
  const held = async (): Promise<House> => {
    const house = createHouse();
    await wants(house, 'web', 'workers-asg');
    return house;
  };

  it('comes into force when the policy of the other group is deleted', async () => {
    const house = await held();
    await wants(house, 'api', 'workers-asg');
    expect(house.status('api')?.message).toBe(
      'Rejected for 1 reason. asg: expected an Auto Scaling group that no other group holds, found "workers-asg", which group web holds. ' +
        'No version is in force: the group is not acted on. ' +
        'It is checked again when no other group holds its Auto Scaling groups. Otherwise correct it.',
    );
    await letsGo(house, 'web');
    expect([statusOf(house, 'web'), statusOf(house, 'api')]).toEqual(['let-go', 'accepted']);
    expect(house.inForce('api')?.resolved).toMatchObject({ holding: { asg: 'workers-asg' }, after: ['web'] });
    expect(house.told.at(-1)).toBe('api');
  });

  it('comes into force however its write and the other deletion overlap', async () => {
    for (let pause = 0; pause <= 40; pause += 1) {
      const house = await held();
      house.remove('web');
      const turns = async (count: number) => {
        for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
      };
      await Promise.all([
        turns(Math.max(0, 20 - pause)).then(() => wants(house, 'api', 'workers-asg')),
        turns(Math.max(0, pause - 20)).then(() => house.accept('web')),
      ]);
      expect([pause, statusOf(house, 'web'), statusOf(house, 'api')]).toEqual([pause, 'let-go', 'accepted']);
    }
  });

  it('comes into force when the run that lets the other group go dies and is repeated', async () => {
    for (const when of ['before', 'after'] as const)
      for (let call = 1; call <= 30; call += 1) {
        const house = await held();
        await wants(house, 'api', 'workers-asg');
        house.remove('web');
        house.dieAt({ call, when });
        await house.accept('web').catch(() => undefined);
        house.dieAt(undefined);
        await house.accept('web');
        expect([call, statusOf(house, 'web'), statusOf(house, 'api')]).toEqual([call, 'let-go', 'accepted']);
        expect(house.inForce('api')?.version).toBe(1);
      }
  });

  it('waits for the next holder, too, and is not brought back once it is deleted', async () => {
    const house = await held();
    await wants(house, 'api', 'workers-asg');
    await wants(house, 'jobs', 'workers-asg');
    await wants(house, 'gone', 'workers-asg');
    await letsGo(house, 'gone');
    await letsGo(house, 'web');
    expect([statusOf(house, 'api'), statusOf(house, 'jobs')]).toEqual(['accepted', 'rejected']);
    await letsGo(house, 'api');
    expect([statusOf(house, 'api'), statusOf(house, 'jobs'), statusOf(house, 'gone')]).toEqual(['let-go', 'accepted', 'let-go']);
  });

  it('does not wait with another error, because its owner has to write it again', async () => {
    const house = await held();
    house.write('api', { ...smallDocument, group: 'api', asg: 'workers-asg', size: -1 });
    await house.accept('api');
    expect(house.status('api')?.message).toMatch(/Correct the item and write it again\.$/);
    house.callsMade();
    await letsGo(house, 'web');
    expect(statusOf(house, 'api')).toBe('rejected');
    expect(house.told).toEqual(['web', 'web']);
  });
});
