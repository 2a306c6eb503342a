import { afterEach, expect, test, vi } from 'vitest';
import { createLiveView } from '../../cli/live-view.ts';
import type { Glance } from '../../sandbox/door.ts';

afterEach(() => vi.restoreAllMocks());

const groupOf = (group: string, serving: number, leaving = 0) => ({ group, desired: 6, serving, coming: 6 - serving, leaving });
const shown = (groups: Glance['groups']): readonly string[] => {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void lines.push(text));
  const view = createLiveView(false);
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
