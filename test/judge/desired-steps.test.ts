import { describe, expect, it } from 'vitest';
import { judge } from '../../sandbox/judge/judge.ts';
import { desiredAsAsked } from '../../sandbox/judge/rules/size/desired.ts';
import { historyOf, policy, react, type Script } from './histories.ts';

const details = (write: (script: Script) => void): readonly string[] =>
  judge(historyOf(write), { rules: [desiredAsAsked], allowances: [] }).broken.map(({ detail }) => detail);

describe('the step of an alarm that the desired size follows', () => {
  const steps = [
    { below: 0, adjust: '-1' },
    { below: 20, adjust: '-3' },
  ];
  const stepped = { ...policy, size: { min: 1, max: 6, desired: 6 }, scaling: [{ alarm: 'low', cooldown: '10m', steps }] };
  type Change = { readonly second: number; readonly from: number };
  /** One function receives changes and writes a size; another one receives others before it writes, and writes later. */
  const became = (own: readonly Change[], others: readonly Change[], desired: number) =>
    details((script) => {
      const deliver = (invocation: string, second: number, changes: readonly Change[]): void =>
        changes.forEach(({ second: happened, from }, index) => {
          const happenedAtMs = historyOf((one) => one.policy(happened, 1)).events[0]?.atMs ?? 0;
          const told = { about: 'alarm', alarm: 'low', fromThreshold: from } as const;
          script.at(second, { kind: 'delivered', invocation, function: 'react', message: `${invocation}-${index}`, told, happenedAtMs });
        });
      script.policy(0, 1, stepped);
      script.desired(1, 6);
      script.react(102, 110, 'i-a');
      deliver('i-a', 102, own);
      script.react(104, 115, 'i-b');
      deliver('i-b', 104, others);
      script.desired(105, desired, 1, react('i-a'));
    });
  const [far, near] = [
    { second: 100, from: -38 },
    { second: 101, from: -8 },
  ];
  it('is that of the change that the function received, whatever another function receives later', () => {
    expect(became([far], [near], 3)).toEqual([]);
    expect(became([near], [], 5)).toEqual([]);
    expect(became([near], [], 3)).toHaveLength(1);
  });
  it('is that of the newest change, where the function received several', () => {
    expect(became([far, near], [], 5)).toEqual([]);
    expect(became([far, near], [], 3)).toHaveLength(1);
  });
  it('counts once: no alarm acts by two of its steps at once', () => {
    expect(became([far], [near], 2)).toHaveLength(1);
    expect(became([far], [], 6)).toEqual([]);
  });
});

describe('a version with other sizes than the one before', () => {
  const edited = (size: object, desired: number, mode = 'act') =>
    details((script) => {
      script.policy(0, 1);
      script.desired(1, 2);
      script.policy(100, 2, { ...policy, mode, size });
      script.desired(102, desired, 2);
    });
  it('sets its own desired size', () => {
    expect(edited({ min: 1, max: 6, desired: 4 }, 4)).toEqual([]);
    expect(edited({ min: 1, max: 6, desired: 4 }, 2)).toHaveLength(1);
    expect(edited({ min: 1, max: 8, desired: 2 }, 2)).toEqual([]);
  });
  it('need not set it where the sizes are the same, or the group is observed', () => {
    expect(edited(policy.size, 2)).toEqual([]);
    expect(edited({ min: 1, max: 6, desired: 4 }, 2, 'observe')).toEqual([]);
  });
});

describe('a restored state item that a function writes which looked before', () => {
  const restored = (began: number, first: number, then: number) =>
    details((script) => {
      script.policy(0, 1);
      script.desired(1, 2);
      for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, { by: react('i-0'), tags: { 'holdfast:group': 'holdfast/web' } });
      script.desired(150, 2, 1, { kind: 'user' });
      script.react(began, 156, 'i-a');
      script.desired(155, first, 1, react('i-a'));
      script.react(160, 166, 'i-b');
      script.desired(161, then, 1, react('i-b'));
    });
  it('is an older one still, and who looks next keeps as many as are there', () => {
    expect(restored(149, 2, 3)).toEqual([]);
    expect(restored(149, 2, 2)).toHaveLength(1);
    expect(restored(149, 2, 5)).toHaveLength(1);
  });
  const ours = { by: react('i-0'), tags: { 'holdfast:group': 'holdfast/web' } };
  it('need not count a member that was launched after that look began', () => {
    const fourth = (second: number) =>
      details((script) => {
        script.policy(0, 1);
        script.desired(1, 2);
        for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, ours);
        script.desired(150, 2, 1, { kind: 'user' });
        script.react(160, 166, 'i-b');
        script.launch(second, 'i-4', ours);
        script.desired(162, 3, 1, react('i-b'));
      });
    expect(fourth(161)).toEqual([]);
    expect(fourth(100)).toHaveLength(1);
  });
  it('gets the size that its function had written before, if that function looked before the restore', () => {
    const kept = (writer: string, own: number, began = 140) =>
      details((script) => {
        script.policy(0, 1, { ...policy, size: { min: 1, max: 6, desired: 3 } });
        script.desired(1, 3);
        for (const instance of ['i-1', 'i-2', 'i-3', 'i-4', 'i-5']) script.member(instance, ours);
        script.react(began, 156, 'i-a');
        script.desired(145, own, 1, react(writer));
        script.desired(150, 2, 1, { kind: 'user' });
        script.desired(155, 3, 1, react('i-a'));
      });
    expect(kept('i-a', 3)).toEqual([]);
    expect(kept('i-b', 3)).toHaveLength(1);
    expect(kept('i-a', 3, 151)).toHaveLength(1);
  });
  it('is judged like any other where that function changes the size, or began to look after it was restored', () => {
    expect(restored(149, 5, 5)).toHaveLength(1);
    expect(restored(152, 2, 2)).toHaveLength(1);
  });
});

describe('an alarm after the state table was restored', () => {
  const scaled = { ...policy, size: { min: 1, max: 6, desired: 2 }, scaling: [{ alarm: 'high', cooldown: '1m', adjust: '+1' }] };
  /** The alarm acts at 60 s, the table is restored at 80 s to a copy of a moment, and the alarm rings again at 100 s. */
  const copiedAt = (copied: number | undefined) =>
    details((script) => {
      const msAt = (second: number): number => historyOf((one) => one.policy(second, 1)).events[0]?.atMs ?? 0;
      const rings = (second: number, invocation: string): void => {
        script.react(second, second + 5, invocation);
        const told = { about: 'alarm', alarm: 'high' } as const;
        script.at(second, { kind: 'delivered', invocation, function: 'react', message: invocation, told, happenedAtMs: msAt(second - 1) });
      };
      script.policy(0, 1, scaled);
      script.desired(1, 2);
      rings(60, 'i-a');
      script.desired(61, 3, 1, react('i-a'));
      const size = copied !== undefined && copied < 61 ? 2 : 3;
      if (copied !== undefined) {
        script.at(80, { kind: 'step', step: 'state-restored', instances: [], groups: ['web'], asgs: [], copiedAtMs: msAt(copied) });
        script.desired(81, size, 1, { kind: 'user' });
        script.react(90, 92, 'i-b');
        script.desired(91, size, 1, react('i-b'));
      }
      rings(100, 'i-c');
      script.desired(101, size + 1, 1, react('i-c'));
    });
  it('may act, if the copy is older than the cooldown, and not if it is younger', () => {
    expect(copiedAt(50)).toEqual([]);
    expect(copiedAt(70)).toHaveLength(1);
    expect(copiedAt(undefined)).toHaveLength(1);
  });
});

describe('an alarm that is no reason any more', () => {
  const scaled = { ...policy, size: { min: 1, max: 9, desired: 2 }, scaling: [{ alarm: 'high', adjust: '+1', cooldown: '1m' }] };
  /** An alarm that went off at this second and is received at 5,000 s. Its function writes this size. */
  const became = (happenedS: number, desired: number, before: (script: Script) => void = () => {}) =>
    details((script) => {
      script.policy(0, 1, scaled);
      for (const id of ['i-1', 'i-2']) script.member(id);
      script.desired(1, 2);
      before(script);
      script.react(5_000, 5_010, 'i-a');
      const told = { about: 'alarm', alarm: 'high' } as const;
      const happenedAtMs = (historyOf((one) => one.policy(0, 1)).events[0]?.atMs ?? 0) + 1_000 * happenedS;
      script.at(5_000, { kind: 'delivered', invocation: 'i-a', function: 'react', message: 'm-1', told, happenedAtMs });
      script.desired(5_005, desired, 1, react('i-a'));
    });
  it('went off more than an hour before it is received', () => {
    expect(became(4_000, 3)).toEqual([]);
    expect(became(1_000, 3)).toHaveLength(1);
    expect(became(1_000, 2)).toEqual([]);
  });
  it('went off before the look that found the state item deleted', () => {
    const lost = (script: Script): void => {
      script.at(4_500, { kind: 'state-deleted', group: 'web', by: { kind: 'user' } });
      script.desired(4_550, 2, 1, react('i-b'));
    };
    expect(became(4_000, 3, lost)).toHaveLength(1);
    expect(became(4_000, 2, lost)).toEqual([]);
    expect(became(4_540, 3, lost)).toEqual([]);
    expect(became(4_900, 3, lost)).toEqual([]);
  });
});
