import { expect, test } from 'vitest';
import { chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { outsideSituations } from '../mutants/outside-situations.ts';
import { play } from './play.ts';

test('processes that were resumed a moment ago are suspended again for the next launch, although a describe is older', async () => {
  const { history, violations } = await play(outsideSituations['a member is lost right after processes were resumed']());
  const { cloud } = chronicleOf(history);
  const changes = cloud.asgChanges('web-asg');
  const lostAtMs = history.events.filter((event) => event.kind === 'warned').at(-1)?.atMs ?? 0;
  const resumedAtMs = changes.findLast(({ atMs, suspended }) => atMs < lostAtMs && suspended.join() === 'AZRebalance')?.atMs ?? 0;
  expect(violations).toEqual([]);
  expect(lostAtMs - resumedAtMs).toBeLessThan(5_000);
  expect(cloud.asgAt('web-asg', lostAtMs + 4_000)?.suspended).toEqual(['AZRebalance', 'Launch', 'Terminate']);
  expect(cloud.asgAt('web-asg', history.endedAtMs)?.suspended).toEqual(['AZRebalance']);
});

test('a member that ends right after processes were resumed is left to its Auto Scaling group, although a describe shows Launch as suspended', async () => {
  const { history, violations } = await play(outsideSituations['a member ends right after processes were resumed']());
  const diedAtMs = history.events.find((event) => event.kind === 'step' && event.step === 'died')?.atMs ?? 0;
  const [first] = history.events.filter((event) => event.kind === 'launched' && event.atMs > diedAtMs);
  expect(violations).toEqual([]);
  expect(first).toMatchObject({ by: { kind: 'asg', asg: 'web-asg' } });
});

test('a process that its owner suspends soon after Holdfast suspended and resumed it stays suspended', async () => {
  const { history, violations } = await play(outsideSituations['its owner suspends Terminate soon after Holdfast resumed it']());
  const changes = chronicleOf(history).cloud.asgChanges('web-asg');
  const byOwner = changes.findLastIndex(({ by }) => by.kind === 'user');
  const noted = changes.findLast(({ suspended }, index) => index < byOwner && suspended.length > 1);
  expect(violations).toEqual([]);
  expect((changes[byOwner]?.atMs ?? 0) - (noted?.atMs ?? 0)).toBeLessThan(55_000);
  expect(changes.slice(byOwner).every(({ suspended }) => suspended.includes('Terminate'))).toBe(true);
});

test.each(['let go while a function is late to suspend processes', 'renamed while a function is late to suspend processes'] as const)(
  '%s: they are resumed',
  async (name) => {
    const { history, violations } = await play(outsideSituations[name]());
    const suspended = history.events.flatMap((event) => (event.kind === 'asg-changed' && event.asg === 'web-asg' ? event.suspended : []));
    expect(violations).toEqual([]);
    expect(suspended).toContain('Launch');
    expect(chronicleOf(history).cloud.asgAt('web-asg', history.endedAtMs)?.suspended).toEqual(['AZRebalance']);
  },
);
