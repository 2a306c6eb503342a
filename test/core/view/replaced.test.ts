import { expect, it } from 'vitest';
import { replacedIn } from '../../../core/view/replaced.ts';
import { reservation, state } from '../views.ts';

it('a launch of a moment ago replaces its members, as many as its instances run', () => {
  const replaced = (instances: readonly string[] | undefined, replaces = ['i-a', 'i-b']) => [
    ...replacedIn(state({ reservations: [reservation({ replaces, ...(instances && { instances }) })] })),
  ];
  expect(replaced(undefined)).toEqual(['i-a', 'i-b']);
  expect(replaced(['i-1', 'i-2'])).toEqual(['i-a', 'i-b']);
  expect(replaced(['i-1'])).toEqual(['i-a']);
  expect(replaced([])).toEqual([]);
  expect(replaced(['i-1', 'i-2'], ['i-a'])).toEqual(['i-a']);
});
