import { expect, test } from 'vitest';
import { allNotes, notedAsgs, notesThat, withNotes } from '../../../core/view/notes.ts';
import { state } from '../views.ts';

const raise = (asg: string) => ({ asg, fromMax: 4, toMax: 5 });
const added = (asg: string) => ({ asg, from: 3, instances: ['i-1'], atMs: 0 });
const suspension = (asg: string) => ({ asg, processes: ['Terminate'] });
const ofOne = (asg: string) => ({ raised: [raise(asg)], added: [added(asg)], suspended: [suspension(asg)] });

test('notes of every kind are put together, filtered and stored in the same way', () => {
  const both = allNotes([ofOne('a'), { raised: [raise('b')] }]);
  expect(both).toEqual({ ...ofOne('a'), raised: [raise('a'), raise('b')] });
  expect([...notedAsgs(both)]).toEqual(['a', 'b']);
  expect(notesThat(both, ({ asg }) => asg === 'b')).toEqual({ raised: [raise('b')], added: [], suspended: [] });
  expect(notesThat(both, (_, kind) => kind === 'added')).toEqual({ raised: [], added: [added('a')], suspended: [] });
});

test('a state has no empty lists of additions and suspensions, and none of its notes before', () => {
  expect(withNotes(state(ofOne('a')), ofOne('b'))).toEqual(state(ofOne('b')));
  expect(Object.keys(withNotes(state(ofOne('a')), { raised: [], added: [], suspended: [] }))).toEqual(Object.keys(state({ raised: [] })));
});
