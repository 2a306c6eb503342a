import { describe, expect, it } from 'vitest';
import { availability, lowestServing, observe } from '../../../sandbox/scenario/observe.ts';
import type { World, WorldFact } from '../../../sandbox/world/world.ts';

const watched = () => {
  let tell: (fact: WorldFact) => void = () => undefined;
  let nowMs = 0;
  const world = {
    observe: (listener: typeof tell) => {
      tell = listener;
    },
  } as unknown as World;
  const observation = observe(
    world,
    (instance) => (instance.startsWith('i-web') ? 'web' : undefined),
    () => nowMs,
  );
  const at = (ms: number): void => {
    nowMs = ms;
  };
  return { observation, tell: (fact: WorldFact) => tell(fact), at };
};
const fact = (kind: 'serving' | 'draining' | 'shutting-down' | 'terminated', instance: string, atMs: number): WorldFact => ({ kind, instance, atMs });

describe('watching a world', () => {
  it('counts who serves: from healthy until drained or ended', () => {
    const { observation, tell } = watched();
    for (const step of [
      fact('serving', 'i-web1', 1),
      fact('serving', 'i-web2', 2),
      fact('draining', 'i-web1', 5),
      fact('terminated', 'i-web1', 9),
      fact('shutting-down', 'i-web2', 7),
    ])
      tell(step);
    expect(observation.serving.get('web')).toEqual([
      { atMs: 1, serving: 1 },
      { atMs: 2, serving: 2 },
      { atMs: 5, serving: 1 },
      { atMs: 7, serving: 0 },
    ]);
    expect(observation.servingNow('web')).toBe(0);
  });

  it('keeps the first time of everything that happens to an instance', () => {
    const { observation, tell } = watched();
    tell({ kind: 'warned', instance: 'i-web1', atMs: 3, takenAtMs: 123 });
    tell({ kind: 'warned', instance: 'i-web1', atMs: 4, takenAtMs: 124 });
    tell(fact('shutting-down', 'i-web1', 120));
    tell(fact('terminated', 'i-web1', 125));
    expect(observation.lives.get('i-web1')).toEqual({ instance: 'i-web1', group: 'web', warnedAtMs: 3, takenAtMs: 124, goneAtMs: 120 });
  });

  it('counts no instance for a group that is not there', () => {
    const { observation, tell } = watched();
    tell(fact('serving', 'i-else', 1));
    expect(observation.serving.size).toBe(0);
  });

  it('drops requests and lows of the time before everything was up', () => {
    const { observation, tell, at } = watched();
    tell(fact('serving', 'i-web1', 1));
    tell({ kind: 'dropped', targetGroup: 'web', count: 4, atMs: 1 });
    tell(fact('serving', 'i-web2', 2));
    at(10);
    observation.markReady();
    tell({ kind: 'served', targetGroup: 'web', count: 7, atMs: 11 });
    expect(observation.requests.get('web')).toEqual({ served: 7, dropped: 0 });
    expect(observation.serving.get('web')).toEqual([{ atMs: 10, serving: 2 }]);
    expect(observation.readyAtMs()).toBe(10);
  });
});

describe('the arithmetic of serving', () => {
  const spans = [
    { atMs: 100, serving: 4 },
    { atMs: 130, serving: 3 },
    { atMs: 150, serving: 5 },
  ];
  it('finds the least that served', () => expect(lowestServing(spans)).toBe(3));
  it('weighs each count by how long it lasted', () => expect(availability(spans, 4, 200)).toBe(0.8));
  it('takes the last count until the end', () => expect(availability(spans, 5, 200)).toBe(0.5));
  it('is all of the time where nothing is wanted', () => expect(availability(spans, 0, 200)).toBe(1));
  it('is none where nothing was seen, or no time passed', () => {
    expect(availability([], 1, 200)).toBe(0);
    expect(availability(spans, 4, 100)).toBe(0);
  });
});
