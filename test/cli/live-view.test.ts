import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { createLiveView, follow } from '../../cli/live-view.ts';
import type { Glance } from '../../sandbox/door.ts';

const drawn = vi.hoisted((): string[] => []);
vi.mock('log-update', () => ({ default: Object.assign((text: string) => void drawn.push(text), { done: () => undefined }) }));

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  drawn.length = 0;
});

const groupOf = (group: string, serving: number, leaving = 0) => ({ group, desired: 6, serving, coming: 6 - serving, leaving });
const shown = (groups: Glance['groups']): readonly string[] => {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void lines.push(text));
  const view = createLiveView(() => undefined);
  for (const nowMs of [0, 1_000]) view.show({ nowMs, about: 'a world', zones: [], groups, drains: ['d-1'], requests: { served: 9, dropped: 0 } });
  return lines;
};

test('without a terminal each change of few groups is a line that names them all', () => {
  const lines = shown([groupOf('web', 6), groupOf('api', 4, 2)]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('web: 6/6 serving, 0 coming, 0 leaving  api: 4/6 serving, 2 coming, 2 leaving  drains 1');
});

test('many groups are counted, those that are whole and their members', () => {
  const groups = Array.from({ length: 30 }, (_, index) => groupOf(`web-${index + 1}`, index < 4 ? 5 : 6, index < 2 ? 1 : 0));
  expect(shown(groups)[0]).toContain('26 of 30 groups are at full size: 176 of 180 members serve, 4 coming, 2 leaving');
});

const zone = { zone: 'us-east-1a', spotLeft: 4, members: Array.from({ length: 40 }, (_, index) => ({ id: `i-${index}`, mark: 'S' })) };
const glance = (about: string): Glance => ({
  nowMs: 0,
  about,
  zones: [zone],
  groups: [groupOf('web', 6)],
  drains: [],
  requests: { served: 9, dropped: 0 },
});

test('the picture is no wider than the terminal, also after its width has changed', () => {
  let columns = 60;
  const view = createLiveView(() => columns);
  const widest = (): number => {
    view.show(glance('a world'));
    const table = stripVTControlCharacters(drawn.at(-1) ?? '')
      .split('\n')
      .filter((line) => /[┌│├└]/.test(line));
    return Math.max(...table.map((line) => line.length));
  };
  expect(widest()).toBe(60);
  columns = 90;
  expect(widest()).toBe(90);
  columns = 300;
  expect(widest()).toBe(100);
});

test('between two phases the picture states the phase that began last', () => {
  vi.useFakeTimers();
  const { onProgress, stop } = follow(
    createLiveView(() => 80),
    'live',
  );
  onProgress({ phase: 'warming-up', glance: () => glance('the groups come up') });
  onProgress({ phase: 'playing', glance: () => glance('the scenario plays') });
  drawn.length = 0;
  vi.advanceTimersByTime(1_100);
  stop();
  expect(drawn).toHaveLength(2);
  for (const text of drawn) expect(text).toContain('the scenario plays');
});

test('a simulated scenario is not drawn', () => {
  const { onProgress, stop } = follow(
    createLiveView(() => 80),
    'simulated',
  );
  onProgress({ phase: 'playing', glance: () => glance('the scenario plays') });
  stop();
  expect(drawn).toEqual([]);
});
