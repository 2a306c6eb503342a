import { describe, expect, it } from 'vitest';
import type { History } from '../../sandbox/judge/history.ts';
import { stoppedAreKept } from '../../sandbox/judge/rules/removals/stopped.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

type Case = {
  readonly endedS?: number;
  readonly action?: 'stop' | 'hibernate' | 'terminate';
  readonly reason?: 'scale-in' | 'interruption';
  readonly more?: (script: Script) => void;
  readonly faults?: History['faults'];
};

/** EC2 warns i-1 at 100 s and stops it at 220 s, and Holdfast ends it. i-3 serves in its place from 500 s on. */
const found = ({ endedS = 530, action = 'stop', reason = 'interruption', more = () => undefined, faults = [] }: Case = {}) =>
  details(
    stoppedAreKept,
    (script) => {
      twoServe(script);
      script.at(100, { kind: 'warned', instance: 'i-1', takenAtMs: 220_000, action, silent: false });
      script.claim(102, 'i-1', 'hears', 'leaving', reason);
      script.takeOut(110, 'i-1');
      script.at(220, { kind: 'ending', instance: 'i-1', by: { kind: 'ec2' } });
      script.at(225, { kind: 'ended', instance: 'i-1', state: 'stopped' });
      script.launch(480, 'i-3', { pool: 'spot-b' });
      script.serves(500, 'i-3');
      more(script);
      script.end(endedS, 'i-1', react('drain'));
    },
    { endedAtMs: 1_000_000, faults },
  );

const dies = (script: Script): void => script.end(300, 'i-2');

describe('who EC2 stops is kept while the group needs it', () => {
  it('holds where it is ended five minutes after its deadline, and others serve', () => {
    expect(found()).toEqual([]);
  });
  it('breaks where it is ended before', () => {
    expect(found({ endedS: 505 })).toEqual(['i-1 is stopped, and Holdfast ended it 14 s too soon']);
  });
  it('breaks while too few serve, and counts the desired size of the time', () => {
    expect(found({ more: dies })).toEqual(['i-1 is stopped, and Holdfast ended it while too few serve']);
    const smaller = (script: Script): void => {
      dies(script);
      script.desired(450, 1);
    };
    expect(found({ more: smaller })).toEqual([]);
  });
  it('is about instances that EC2 stops, and that leave for its warning alone', () => {
    expect(found({ more: dies, action: 'hibernate' })).toHaveLength(1);
    expect(found({ more: dies, action: 'terminate' })).toEqual([]);
    expect(found({ more: dies, reason: 'scale-in' })).toEqual([]);
    expect(found({ more: (script) => [dies(script), script.at(400, { kind: 'running', instance: 'i-1' })] })).toEqual([]);
  });
  it('holds where its Auto Scaling group began to end it before EC2 stopped it, and not where that began later', () => {
    const begun = (second: number) =>
      found({
        endedS: 300,
        more: (script) => {
          script.at(10, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: react('i-a') });
          script.at(second, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: react('drain') });
        },
      });
    expect(begun(200)).toEqual([]);
    expect(begun(290)).toHaveLength(2);
  });
  it('is about groups that act under one policy', () => {
    const under = (second: number, document: Readonly<Record<string, unknown>>) =>
      found({ more: (script) => [dies(script), script.policy(second, 2, document)] });
    expect(under(300, { ...policy, size: 2 })).toEqual([]);
    expect(under(60, { ...policy, mode: 'pause' })).toEqual([]);
    expect(under(60, policy)).toHaveLength(1);
  });
  it('holds where a fault hinders looks or drains, and not where it hinders launches', () => {
    const throttled = (operation: string) =>
      found({ more: dies, faults: [{ fault: { on: 'call', kind: 'throttle', match: { operation } }, fromMs: 0, untilMs: 400_000 }] });
    expect(throttled('TerminateInstances')).toEqual([]);
    expect(throttled('DescribeInstances')).toEqual([]);
    expect(throttled('CreateFleet')).toHaveLength(1);
  });
});
