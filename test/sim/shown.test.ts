import { expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { judge } from '../../sandbox/judge/judge.ts';
import { play } from './play.ts';
import { randomSituation } from './random-situation.ts';

const rulesBroken = (history: History): readonly string[] => [...new Set(judge(history).broken.map(({ rule }) => rule))];

/** The history with another text of one command at the end. */
const withLie = (history: History, command: string, lie: (text: string) => string): History => {
  const showings = (history.showings ?? []).map((showing, index, { length }) => ({
    ...showing,
    shown: showing.shown.map((one) => (one.command === command && index === length - 1 ? { ...one, text: lie(one.text) } : one)),
  }));
  expect(showings).not.toEqual(history.showings);
  return { ...history, showings };
};

it('commands are asked about a world when faults end and at rest, no time passes, and a lie of theirs is found', async () => {
  const { history } = await play(randomSituation(1500101));
  const [atCalm, atEnd] = history.showings ?? [];
  expect([atCalm?.atMs, atEnd?.atMs]).toEqual([history.calmAtMs, history.endedAtMs]);
  expect(new Set(atEnd?.shown.map(({ command }) => command))).toEqual(new Set(['status', 'decisions', 'explain']));
  expect(rulesBroken(history)).toEqual([]);
  const lies = [
    [
      'decisions',
      'what a decision stores is shown',
      (text: string) => text.replace(/, (\d+) serving/, (_, count) => `, ${Number(count) - 1} serving`),
    ],
    ['decisions', 'what a decision stores is shown', (text: string) => text.replace(/\n {2}serves now.*/, '')],
    ['decisions', 'what a decision stores is shown', (text: string) => text.replaceAll('spot-a', 'spot-?').replaceAll('spot-b', 'spot-a')],
    ['explain', 'explain tells what happened to an instance', (text: string) => text.replace('State: gone', 'State: waiting')],
    ['explain', 'what commands print is whole', (text: string) => `${text} undefined`],
    ['status', 'status shows what is in force', (text: string) => text.replace(/Version \d+/, 'Version 99')],
  ] as const;
  for (const [command, rule, lie] of lies) expect(rulesBroken(withLie(history, command, lie))).toEqual([rule]);
});
