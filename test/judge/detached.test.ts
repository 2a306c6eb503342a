import { expect, it } from 'vitest';
import type { Actor } from '../../sandbox/judge/history.ts';
import { detachedStayOut } from '../../sandbox/judge/rules/auto-scaling/detached.ts';
import { details } from './details.ts';
import { react, type Script, twoServe, user } from './histories.ts';

type Then = { readonly detachedBy?: Actor; readonly tagged?: boolean; readonly atSecond?: number; readonly asg?: string; readonly by?: Actor };

/** A member that joined at 10 and was detached at 100, then joins again. */
const again = (
  { detachedBy = user, tagged = true, atSecond = 200, asg = 'web-asg', by = react('i-a') }: Then = {},
  between?: (script: Script) => void,
) =>
  details(detachedStayOut, (script) => {
    twoServe(script);
    script.at(10, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: react('i-0') });
    if (tagged)
      script.at(11, {
        kind: 'tagged',
        instance: 'i-1',
        tags: { 'holdfast:group': 'holdfast/web', 'holdfast:joined': 'web-asg 10000' },
        by: react('i-0'),
      });
    script.at(100, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'detached', by: detachedBy });
    between?.(script);
    script.at(atSecond, { kind: 'joined', instance: 'i-1', asg, by });
  });

it('an instance that its user detached is not attached again', () => {
  expect(again()).toEqual(['i-1 was attached to web-asg again, and its user had detached it']);
  expect(again({ by: user })).toEqual([]);
  expect(again({ detachedBy: react('i-b') })).toEqual([]);
});

it('may join another Auto Scaling group, and may be attached while nothing shows that it had joined or left', () => {
  expect(again({ asg: 'other-asg' })).toEqual([]);
  expect(again({ tagged: false })).toEqual([]);
  expect(again({ atSecond: 101 })).toEqual([]);
});

it('is a member again when its user has put it back', () => {
  const putBack = (script: Script): void => {
    script.at(120, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: user });
    script.at(150, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'detached', by: react('i-b') });
  };
  expect(again({}, putBack)).toEqual([]);
});
