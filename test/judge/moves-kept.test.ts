import { describe, expect, it } from 'vitest';
import { movesAreKept } from '../../sandbox/judge/rules/returns/moves-kept.ts';
import { details } from './details.ts';
import { policy, react, type Script } from './histories.ts';

type Write = (script: Script) => void;
const nothing: Write = () => undefined;

const claimed = (script: Script, second: number, instance: string, reason: string): void =>
  script.at(second, {
    ...{ kind: 'item-written', table: 'state', group: 'web', item: `swap#${instance}`, bytes: 500, by: react('leaving') },
    swap: { reason, state: 'leaving' },
  });

/** i-3 is launched on spot at 100 s, to move i-2, which is on demand. A function lets it go at 130 s. */
const leaves = (write: Write = nothing, reason = 'scale-in', change: object = {}): readonly string[] =>
  details(movesAreKept, (script) => {
    script.policy(0, 1, { ...policy, ...change });
    script.desired(0, 2);
    script.member('i-1', { pool: 'spot-a' });
    script.member('i-2', { pool: 'od-b' });
    script.react(98, 102, 'launching');
    script.launch(100, 'i-3', { pool: 'spot-b', by: react('launching') });
    write(script);
    script.react(129, 132, 'leaving');
    claimed(script, 130, 'i-3', reason);
  });

describe('a launch for a move stays while the other member does', () => {
  it('breaks where it leaves as a surplus', () => {
    expect(leaves()).toEqual(['i-3 was launched for a return and leaves as a surplus, while i-2 stays']);
  });
  it('holds where it leaves for another reason, and where the other member has left or ends', () => {
    expect(leaves(nothing, 'interruption')).toEqual([]);
    expect(leaves((script) => claimed(script, 120, 'i-2', 'return'))).toEqual([]);
    expect(leaves((script) => script.end(120, 'i-2'))).toEqual([]);
  });
  it('says nothing where the group wants something else since then, or keeps more', () => {
    expect(leaves((script) => script.desired(115, 1))).toEqual([]);
    expect(leaves((script) => script.policy(115, 2))).toEqual([]);
    expect(leaves(nothing, 'scale-in', { spare: 1 })).toEqual([]);
  });
  it('says nothing where others came', () => {
    expect(leaves((script) => script.launch(110, 'i-4', { pool: 'spot-a' }))).toEqual([]);
  });
});
