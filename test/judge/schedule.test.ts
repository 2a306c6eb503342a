import { describe, expect, it } from 'vitest';
import { desiredAsAsked } from '../../sandbox/judge/rules/size/desired.ts';
import { schedulesAreFollowed } from '../../sandbox/judge/rules/size/schedule.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

const long = { calmAtMs: 1_800_000, restAtMs: 1_850_000, endedAtMs: 1_900_000 };
/** Histories begin in the first minute of 1970, a Thursday. */
const schedule = [
  { at: '10 0 * * *', size: 4 },
  { at: '20 1 * jan thu', timezone: 'Europe/Berlin', size: 1 },
];
const minuteMs = 60;

type Write = (script: Script) => void;
const look = (script: Script, second: number, size: number): void => {
  script.react(second, second + 1, `i-${second}`);
  script.desired(second + 1, size, 2, react(`i-${second}`));
};
const broken = (rule: typeof desiredAsAsked, write: Write, changes = {}) =>
  details(
    rule,
    (script) => {
      twoServe(script);
      script.policy(1, 2, { ...policy, schedule });
      look(script, 60, 2);
      write(script);
    },
    { ...long, ...changes },
  );

describe('a schedule', () => {
  const [atTen, atTwenty] = [10 * minuteMs, 20 * minuteMs];
  const followed: Write = (script) => {
    look(script, atTen + 20, 4);
    look(script, atTwenty + 20, 1);
  };

  it('sets the size when it is due', () => {
    expect(broken(schedulesAreFollowed, followed)).toEqual([]);
    expect(broken(desiredAsAsked, followed)).toEqual([]);
  });
  it('that is not followed is found, each time', () => {
    expect(broken(schedulesAreFollowed, () => undefined)).toHaveLength(2);
    expect(broken(schedulesAreFollowed, (script) => look(script, atTen + 20, 4))).toHaveLength(1);
  });
  it('is followed also where an alarm that lasts changes the size in the same look', () => {
    const lasting =
      (size: number, endsS = 2_000): Write =>
      (script) => {
        script.react(100, 101, 'i-high', [{ about: 'alarm', alarm: 'high' }]);
        script.desired(101, 4, 2, react('i-high'));
        script.react(endsS, endsS + 1, 'i-off', [{ about: 'alarm', alarm: 'high', isOn: false }]);
        look(script, atTen + 20, 4);
        look(script, atTwenty + 20, size);
      };
    // The schedule sets 1, and the alarm adds two.
    expect(broken(schedulesAreFollowed, lasting(3))).toEqual([]);
    expect(broken(schedulesAreFollowed, lasting(4))).toHaveLength(1);
    expect(broken(schedulesAreFollowed, lasting(3, 300))).toHaveLength(1);
  });
  it('is not followed before its time', () => {
    expect(broken(desiredAsAsked, (script) => look(script, atTen - 20, 4))).toHaveLength(1);
  });
  it('is followed once', () => {
    const again: Write = (script) => {
      look(script, atTen + 20, 4);
      script.policy(atTen + 60, 3, { ...policy, size: { min: 1, max: 6, desired: 3 }, schedule });
      script.react(atTen + 60, atTen + 61, 'i-edit');
      script.desired(atTen + 61, 3, 3, react('i-edit'));
      script.react(atTen + 120, atTen + 121, 'i-again');
      script.desired(atTen + 121, 4, 3, react('i-again'));
    };
    expect(broken(desiredAsAsked, again)).toHaveLength(1);
  });
  it('is not passed over by a look that writes something else', () => {
    expect(broken(desiredAsAsked, (script) => look(script, atTen + 20, 2))).toHaveLength(1);
  });
  describe('is not followed by a function that a fault kept from its look, and that hands the group over', () => {
    const second = atTen + 20;
    const failed = { service: 'ec2', operation: 'DescribeInstances', outcome: 'RequestLimitExceeded', trouble: 'fault', applied: false } as const;
    const handedOver =
      (write: { readonly size?: number; readonly reads?: readonly object[]; readonly acts?: string; readonly next?: number } = {}): Write =>
      (script) => {
        const { size = 2, reads = [failed], acts, next = 4 } = write;
        const call = { kind: 'called', function: 'react', invocation: `i-${second}`, askedAtMs: second * 1_000, isMutating: false } as const;
        for (const [index, read] of reads.entries()) script.at(second + index / 10, { ...call, ...failed, ...read });
        look(script, second, size);
        if (acts !== undefined) script.at(second + 1.5, { ...call, service: acts, operation: 'Any', outcome: 'ok', applied: true, isMutating: true });
        look(script, second + 60, next);
        look(script, atTwenty + 20, 1);
      };

    it('where it leaves the size as it was', () => {
      expect(broken(desiredAsAsked, handedOver())).toEqual([]);
      expect(broken(desiredAsAsked, handedOver({ reads: [{ operation: 'DescribeAutoScalingGroups' }] }))).toEqual([]);
      expect(broken(desiredAsAsked, handedOver({ size: 3 }))).not.toEqual([]);
    });
    it('so the next look follows it', () => {
      expect(broken(desiredAsAsked, handedOver({ next: 2 }))).toHaveLength(1);
    });
    it('where the read failed until the end, by a fault', () => {
      const ok = { outcome: 'ok', trouble: undefined, applied: true };
      expect(broken(desiredAsAsked, handedOver({ reads: [ok, {}] }))).toEqual([]);
      for (const reads of [[{}, ok], [{ trouble: 'bucket' }], [{ operation: 'DescribeTargetHealth' }], [{ invocation: 'other' }]])
        expect(broken(desiredAsAsked, handedOver({ reads }))).not.toEqual([]);
    });
    it('under the policy that the item followed before', () => {
      const edited: Write = (script) => {
        script.policy(atTen - 60, 3, { ...policy, schedule: [{ at: '10 0 * * *', size: 5 }] });
        for (const [at, size] of [
          [atTen - 50, 2],
          [atTen + 20, 5],
        ] as const) {
          script.react(at, at + 1, `i-${at}`);
          script.desired(at + 1, size, 3, react(`i-${at}`));
        }
        const call = { kind: 'called', function: 'react', invocation: `i-${atTen - 50}`, askedAtMs: 0, isMutating: false } as const;
        script.at(atTen - 50, { ...call, ...failed });
      };
      expect(broken(desiredAsAsked, edited)).toEqual([]);
    });
    it('where it carries out nothing', () => {
      expect(broken(desiredAsAsked, handedOver({ acts: 'sqs' }))).toEqual([]);
      expect(broken(desiredAsAsked, handedOver({ acts: 'ec2' }))).not.toEqual([]);
    });
  });
  it('need not be followed while a fault may meet the looks', () => {
    const fault = { fault: { on: 'call', kind: 'error', code: 'x', status: 500 }, fromMs: 0, untilMs: 1_800_000 } as never;
    expect(broken(schedulesAreFollowed, () => undefined, { faults: [fault] })).toEqual([]);
    for (const read of ['Query', 'DescribeInstances']) expect(broken(schedulesAreFollowed, () => undefined, throttled(read))).toEqual([]);
  });
  it('is followed whatever fault meets what a look does not need', () => {
    for (const call of ['CreateFleet', 'DescribeTargetHealth', 'PutEvents', 'StartExecution'])
      expect(broken(schedulesAreFollowed, () => undefined, throttled(call))).toHaveLength(2);
  });
});

describe('an alarm with steps', () => {
  const stepped = {
    ...policy,
    scaling: [
      {
        alarm: 'high',
        steps: [
          { above: 0, adjust: '+1' },
          { above: 30, adjust: '+3' },
        ],
        cooldown: '1m',
      },
    ],
  };
  const heard = (size: number, fromThreshold?: number) =>
    details(
      desiredAsAsked,
      (script) => {
        twoServe(script);
        script.policy(1, 2, stepped);
        script.react(100, 101, 'i-1', [{ about: 'alarm', alarm: 'high', ...(fromThreshold !== undefined && { fromThreshold }) }]);
        script.desired(101, size, 2, react('i-1'));
      },
      long,
    );

  it('acts by the farthest step that its metric reaches', () => {
    expect(heard(5, 30)).toEqual([]);
    expect(heard(3, 30)).toHaveLength(1);
    expect(heard(3, 29)).toEqual([]);
    expect(heard(5, 29)).toHaveLength(1);
  });
  it('acts by its first step where the distance is unknown', () => {
    expect(heard(3)).toEqual([]);
    expect(heard(5)).toHaveLength(1);
  });
});
