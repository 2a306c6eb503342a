import { expect, it } from 'vitest';
import { groupsDue, lookUpAgain } from '../../functions/accept-policy/look-up-again.ts';
import { resolution, smallDocument } from '../policy/documents.ts';
import { silent } from '../react/facts.ts';
import { createHouse } from './house.ts';

const dayMs = 86_400_000;
const quarterMs = 900_000;
const document = (group: string, launchTemplate = 'web') => ({
  ...smallDocument,
  group,
  pools: { 'spot-1a': { ...smallDocument.pools['spot-1a'], launchTemplate } },
});
const gone = { ...resolution, images: { versions: { 'web:2': { isGone: true } }, architectures: {} } } as const;
/** The time of the day at which a group is looked up. */
const timeOf = (group: string): number => {
  const times = Array.from({ length: dayMs / quarterMs }, (_, index) => index * quarterMs);
  return times.find((atMs) => groupsDue([group], atMs).length > 0) ?? Number.NaN;
};

it('each group is looked up at one time of the day, and groups are spread over it', () => {
  const groups = Array.from({ length: 300 }, (_, index) => `group-${index}`);
  const times = Array.from({ length: dayMs / quarterMs }, (_, index) => groupsDue(groups, index * quarterMs));
  expect(times.flat().toSorted()).toEqual(groups.toSorted());
  expect(Math.max(...times.map((due) => due.length))).toBeLessThan(20);
  expect(groupsDue(groups, 7 * quarterMs + dayMs + 3_000)).toEqual(times[7]);
});

it('a problem found later is noted next to the status, and the version stays in force', async () => {
  const house = createHouse();
  house.write('workers', document('workers', 'web:2'));
  house.write('others', document('others'));
  await house.accept('workers');
  await house.accept('others');
  const [inForce, announced] = [house.inForce('workers'), house.announced.length];
  const ports = { ...house.ports, resolver: { lookUp: async () => gone } };

  expect(await lookUpAgain(timeOf('workers'), ports, silent)).toEqual({ groups: 1 });
  expect(house.refusedNow('workers')).toMatchObject([{ path: 'pools.spot-1a.launchTemplate', found: 'version 2, which was deleted' }]);
  expect(house.refusedNow('others')).toBeUndefined();
  expect(house.inForce('workers')).toBe(inForce);
  expect(house.status('workers')?.status).toBe('accepted');
  expect(house.announced).toHaveLength(announced);

  await lookUpAgain(timeOf('workers'), house.ports, silent);
  expect(house.refusedNow('workers')).toEqual([]);
});

it('a group that cannot be looked up does not delay the others', async () => {
  const house = createHouse();
  const time = timeOf('workers');
  const other = Array.from({ length: 2_000 }, (_, index) => `other-${index}`).find((group) => timeOf(group) === time) ?? '';
  for (const group of ['workers', other]) {
    house.write(group, document(group));
    await house.accept(group);
  }
  let asked = 0;
  const lookUp = async () => {
    asked += 1;
    if (asked === 1) throw new Error('EC2 does not answer.');
    return resolution;
  };
  const logged: unknown[] = [];
  const warn = (text: string, more: unknown) => void logged.push(text, more);
  const telling = { logger: { ...silent.logger, warn } } as unknown as typeof silent;
  expect(await lookUpAgain(time, { ...house.ports, resolver: { lookUp } }, telling)).toEqual({ groups: 2 });
  expect(logged).toEqual([
    'The names in a policy could not be looked up again. The next try is tomorrow.',
    { group: expect.any(String), error: new Error('EC2 does not answer.') },
  ]);
  expect(house.refusedNow(other)).toEqual([]);
});

it('leaves the rest for tomorrow when the time of the invocation is over, and groups without a policy alone', async () => {
  const house = createHouse();
  house.write('workers', document('workers'));
  await house.accept('workers');
  let asked = 0;
  const late = { now: () => (asked++ === 0 ? 0 : 60_000) };
  expect(await lookUpAgain(timeOf('workers'), { ...house.ports, clock: late }, silent)).toEqual({ groups: 0 });
  house.remove('workers');
  await house.accept('workers');
  expect(await lookUpAgain(timeOf('workers'), house.ports, silent)).toEqual({ groups: 0 });
});
