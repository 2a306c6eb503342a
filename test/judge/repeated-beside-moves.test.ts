import { describe, expect, it } from 'vitest';
import { needlessLaunch } from '../../sandbox/judge/rules/launches/needless-launch.ts';
import { details } from './details.ts';
import { policy, react, twoServe } from './histories.ts';

/** One of two members ends. A function requests i-3 for it and dies. Another one moves a member on demand with i-4, and a third repeats the request. */
const found = ({ floor = 1, movedAt = 98, storer = 'of-a' } = {}): readonly string[] =>
  details(needlessLaunch, (script) => {
    const stored = (second: number, instance: string, by: string): void =>
      script.at(second, { kind: 'item-written', table: 'state', group: 'web', item: `request#r-${instance}`, bytes: 500, by: react(by) });
    twoServe(script);
    script.policy(60, 2, { ...policy, onDemand: { floor } });
    script.end(90, 'i-1');
    script.react(95, 97, 'of-a');
    script.react(94, 103, 'of-b');
    stored(movedAt, 'i-4', 'of-b');
    stored(96, 'i-3', storer);
    script.launch(100, 'i-4', { pool: 'od-b', by: react('of-b') });
    script.react(109, 115, 'of-c');
    script.launch(110, 'i-3', { pool: 'od-b', by: react('of-c') });
  });

describe('nothing is launched that nobody needs, where a request is repeated', () => {
  it('holds beside a launch for a move that was requested since', () => {
    expect(found()).toEqual([]);
  });
  it('breaks where that launch moves nobody, was requested before, or the request is new', () => {
    expect(found({ floor: 0 })).toHaveLength(1);
    expect(found({ movedAt: 95 })).toHaveLength(1);
    expect(found({ storer: 'of-c' })).toHaveLength(1);
  });
});
