import { describe, expect, it } from 'vitest';
import { judgeWaiting } from '../../functions/accept-policy/judge-waiting.ts';
import { smallDocument } from '../policy/documents.ts';
import { silent } from '../react/facts.ts';
import { createHouse, type House } from './house.ts';

const wants = (house: House, group: string, asg?: string): Promise<unknown> => {
  house.write(group, { ...smallDocument, group, ...(asg !== undefined && { asg }) });
  return house.accept(group);
};
const statusesOf = (house: House, ...groups: readonly string[]) => groups.map((group) => house.status(group)?.status);
const scheduled = (house: House) => judgeWaiting(house.ports, silent);

/** `web` has moved away from its Auto Scaling group and still has members there. These groups wait for it. */
const movedAway = async (...waiting: readonly string[]): Promise<House> => {
  const house = createHouse();
  await wants(house, 'web', 'workers-asg');
  house.hold('web', ['workers-asg']);
  await wants(house, 'web');
  house.wait(600_000);
  for (const group of waiting) await wants(house, group, 'workers-asg');
  return house;
};

describe('a policy that waits for an Auto Scaling group from which another group has moved away', () => {
  it('is judged again once the members of the other group have left', async () => {
    const house = await movedAway('api');
    expect(await scheduled(house)).toEqual({ waited: 0 });
    expect(statusesOf(house, 'api')).toEqual(['rejected']);
    house.hold('web', []);
    expect(await scheduled(house)).toEqual({ waited: 1 });
    expect(statusesOf(house, 'api')).toEqual(['accepted']);
    expect(house.inForce('api')?.resolved).toMatchObject({ holding: { asg: 'workers-asg' }, after: ['web'] });
    expect(await scheduled(house)).toEqual({ waited: 0 });
  });

  it('is accepted before those that came later, which go on waiting', async () => {
    const house = await movedAway('api', 'jobs');
    house.hold('web', []);
    expect(await scheduled(house)).toEqual({ waited: 1 });
    expect(statusesOf(house, 'api', 'jobs')).toEqual(['accepted', 'rejected']);
    house.remove('api');
    await house.accept('api');
    expect(statusesOf(house, 'api', 'jobs')).toEqual(['let-go', 'accepted']);
  });

  it('is judged once if it has another error by now, and so is nobody whose policy was deleted', async () => {
    const house = await movedAway('api', 'jobs');
    house.write('api', { ...smallDocument, group: 'api', asg: 'workers-asg', size: -1 });
    house.remove('jobs');
    house.hold('web', []);
    expect(await scheduled(house)).toEqual({ waited: 1 });
    expect(await scheduled(house)).toEqual({ waited: 0 });
    await wants(house, 'late', 'workers-asg');
    expect(statusesOf(house, 'api', 'late')).toEqual(['rejected', 'accepted']);
  });

  it('comes into force when the run that judges it dies and is repeated', async () => {
    for (const when of ['before', 'after'] as const)
      for (let call = 1; call <= 25; call += 1) {
        const house = await movedAway('api');
        house.hold('web', []);
        house.dieAt({ call, when });
        await scheduled(house).catch(() => undefined);
        house.dieAt(undefined);
        house.wait(900_000);
        await scheduled(house);
        expect([call, ...statusesOf(house, 'api')]).toEqual([call, 'accepted']);
      }
  });

  it('is left for the next time if there is no time any more', async () => {
    const house = await movedAway('api');
    house.hold('web', []);
    let asked = 0;
    const late = { now: () => (asked++ === 0 ? 0 : 60_000) };
    expect(await judgeWaiting({ ...house.ports, clock: late }, silent)).toEqual({ waited: 0 });
    expect(await scheduled(house)).toEqual({ waited: 1 });
  });
});
