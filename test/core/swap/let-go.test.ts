import { describe, expect, it } from 'vitest';
import { asGoneAfterLetGo, asLetOff, isLetOff, wasLeftAlone } from '../../../core/swap/let-go.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { noonMs, swap } from '../../drain/fleet.ts';

const inMs = (seconds: number) => noonMs + seconds * 1_000;
const letGo = { code: 'let-go' } as const;

describe('a swap of a group that was let go', () => {
  const warned = { reason: 'interruption', deadlineMs: inMs(120) } as const;
  const chosen = { reason: 'scale-in' } as const;
  const hook = { asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: inMs(600) };

  it.each<readonly [string, Partial<Swap>, number, boolean]>([
    ['that waits for its turn is dropped', { reason: 'rebalance', state: 'waiting' }, 0, true],
    ['whose drain ended before it began is dropped', { ...chosen, shortfall: letGo }, 0, true],
    ['whose group did not act before its drain began is dropped', { ...chosen, shortfall: { code: 'held-back', mode: 'pause' } }, 0, true],
    ['that was needed when its drain could begin is dropped', { ...chosen, shortfall: { code: 'needed', serving: 1, desired: 2 } }, 0, true],
    ['whose drain ended for another reason is kept', { ...chosen, shortfall: { code: 'not-seen' } }, 119, false],
    ['whose drain may yet end is kept', chosen, 119, false],
    ['whose drain was ordered later may yet end', { ...chosen, drainOrderedAtMs: inMs(60) }, 179, false],
    ['whose drain was ordered later and never began is dropped', { ...chosen, drainOrderedAtMs: inMs(60) }, 180, true],
    ['that EC2 takes while it drains is kept', { ...warned, state: 'draining' }, 7_200, false],
    ['whose drain never began is dropped', chosen, 120, true],
    ['that EC2 takes is kept', warned, 719, false],
    ['that EC2 takes is kept, whatever its drain said', { ...warned, shortfall: letGo }, 0, false],
    ['that EC2 did not take is dropped', warned, 720, true],
    ['that was drained, and that EC2 may yet take, is kept', { ...warned, state: 'drained' }, 719, false],
    ['that was drained, and that EC2 did not take, is dropped', { ...warned, state: 'drained' }, 720, true],
    ['that its Auto Scaling group may have let go is kept', { ...chosen, releaseAskedAtMs: noonMs }, 599, false],
    ['that its Auto Scaling group did not let go is dropped', { ...chosen, releaseAskedAtMs: noonMs }, 600, true],
    ['that a hook holds is kept', { reason: 'hook', hooks: [hook] }, 7_200, false],
    ['that was taken out of service is kept', { ...chosen, state: 'draining' }, 7_200, false],
    ['whose end is refused is kept as long as that holds', { ...chosen, state: 'drained', keptUntilMs: inMs(3_600) }, 3_599, false],
    ['whose end was refused an hour ago is dropped', { ...chosen, state: 'drained', keptUntilMs: inMs(3_600) }, 3_600, true],
  ])('%s', (_, changes, atS, isOff) => {
    expect(isLetOff(swap('i-1', changes), inMs(atS))).toBe(isOff);
  });

  it('says that its group was let go, unless something else fell short before', () => {
    expect(asLetOff(swap('i-1', chosen)).shortfall).toEqual(letGo);
    const refused = { code: 'not-released', awsCode: 'AccessDenied' } as const;
    expect(asLetOff(swap('i-1', { ...chosen, shortfall: refused })).shortfall).toEqual(refused);
  });

  it('records that of an instance that ended undrained, and nothing of one that was drained', () => {
    expect(asGoneAfterLetGo(swap('i-1', warned), inMs(130))).toMatchObject({ state: 'gone', shortfall: letGo });
    const drained = swap('i-1', { ...warned, state: 'drained', drainedAtMs: inMs(90) });
    expect(asGoneAfterLetGo(drained, inMs(130))).toEqual({ ...drained, state: 'gone', goneAtMs: inMs(130) });
  });

  it('was left alone only where its end was our choice', () => {
    expect(wasLeftAlone(swap('i-1', { ...chosen, shortfall: letGo }))).toBe(true);
    expect(wasLeftAlone(swap('i-1', { ...warned, shortfall: letGo }))).toBe(false);
    expect(wasLeftAlone(swap('i-1', { ...chosen, state: 'draining', shortfall: letGo }))).toBe(false);
  });
});
