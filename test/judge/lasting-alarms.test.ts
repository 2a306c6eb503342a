import { describe, expect, it } from 'vitest';
import { lastingAlarmsActAgain } from '../../sandbox/judge/rules/size/alarms.ts';
import { desiredAsAsked } from '../../sandbox/judge/rules/size/desired.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

const long = { calmAtMs: 800_000, restAtMs: 850_000, endedAtMs: 900_000 };
const on = { about: 'alarm', alarm: 'high' } as const;
const off = { ...on, isOn: false } as const;
const quiet = { ...on, isQuiet: true } as const;

/** A look that hears this and writes that size. */
const look = (script: Script, second: number, told: readonly (typeof on | typeof off | typeof quiet)[], size: number): void => {
  script.react(second, second + 1, `i-${second}`, told);
  script.desired(second + 1, size, 1, react(`i-${second}`));
};
type Write = (script: Script) => void;
const broken = (rule: typeof desiredAsAsked, write: Write, changes = {}) =>
  details(
    rule,
    (script) => {
      twoServe(script);
      look(script, 100, [on], 4);
      write(script);
    },
    { ...long, ...changes },
  );

describe('an alarm that lasts', () => {
  it('acts again after its cooldown', () => {
    const again: Write = (script) => look(script, 170, [], 6);
    expect(broken(lastingAlarmsActAgain, again)).toEqual([]);
    expect(broken(desiredAsAsked, again)).toEqual([]);
    expect(broken(lastingAlarmsActAgain, () => undefined)).toHaveLength(1);
  });
  it('acts again unless it was received more than an hour late', () => {
    const replayed = (happenedAtMs: number) =>
      details(
        lastingAlarmsActAgain,
        (script) => {
          twoServe(script);
          script.react(100, 101, 'i-100');
          script.at(100, { kind: 'delivered', invocation: 'i-100', function: 'react', message: 'm-1', told: on, happenedAtMs });
        },
        long,
      );
    expect(replayed(100_000 - 3_500_000)).toHaveLength(1);
    expect(replayed(100_000 - 3_700_000)).toEqual([]);
  });
  it('acts again unless it went off before a deleted policy was written again, and was received after that', () => {
    const heardLate = (happenedAtMs: number, before: Write) =>
      details(
        lastingAlarmsActAgain,
        (script) => {
          twoServe(script);
          before(script);
          script.desired(101, 4, 1, react('i-100'));
          script.react(100, 101, 'i-100');
          script.at(100, { kind: 'delivered', invocation: 'i-100', function: 'react', message: 'm-1', told: on, happenedAtMs });
        },
        long,
      );
    const isBack: Write = (script) => {
      script.letGo(60);
      script.policy(80, 2);
    };
    expect(heardLate(59_000, isBack)).toEqual([]);
    expect(heardLate(81_000, isBack)).toHaveLength(1);
    expect(heardLate(59_000, (script) => script.policy(80, 2))).toHaveLength(1);
  });
  it('acts a minute after it acted, which is before that was written', () => {
    const slowly =
      (second: number): Write =>
      (script) => {
        script.react(second, second + 3, `i-${second}`);
        script.desired(second + 3, 6, 1, react(`i-${second}`));
      };
    // It acted between 100 and 101 s; the one that follows wrote at 160 and at 159 s.
    expect(broken(desiredAsAsked, slowly(157))).toEqual([]);
    expect(broken(desiredAsAsked, slowly(156))).toHaveLength(1);
  });
  it('acts after its cooldown where a message from within it comes then', () => {
    const late =
      (second: number): Write =>
      (script) => {
        script.react(second, second + 1, `i-${second}`);
        script.at(second, { kind: 'delivered', invocation: `i-${second}`, function: 'react', message: 'm-1', told: on, happenedAtMs: 140_000 });
        script.desired(second + 1, 6, 1, react(`i-${second}`));
      };
    expect(broken(desiredAsAsked, late(170))).toEqual([]);
    expect(broken(desiredAsAsked, late(150))).toHaveLength(1);
  });
  it('does not act within it', () => {
    expect(broken(desiredAsAsked, (script) => look(script, 140, [], 6))).toHaveLength(1);
  });
  it('acts no more once it is over', () => {
    const over: Write = (script) => look(script, 130, [off], 4);
    expect(broken(lastingAlarmsActAgain, over)).toEqual([]);
    const late: Write = (script) => {
      over(script);
      look(script, 260, [], 6);
    };
    expect(broken(desiredAsAsked, late)).toHaveLength(1);
  });
  it('acts no more while another one lasts that went off later, once a function surely knows that', () => {
    const low = { about: 'alarm', alarm: 'low' } as const;
    const scaling = [
      { alarm: 'high', adjust: '+2', cooldown: '1m' },
      { alarm: 'low', adjust: -1, cooldown: '1m' },
    ];
    const found = (size: number, { heardAt = 120, more = () => undefined }: { heardAt?: number; more?: Write } = {}) =>
      details(
        desiredAsAsked,
        (script) => {
          script.policy(0, 1, { ...policy, scaling });
          script.member('i-1');
          script.member('i-2');
          look(script, 100, [on], 4);
          script.react(heardAt, heardAt + 1, 'i-low');
          const said = { kind: 'delivered', invocation: 'i-low', function: 'react', message: 'm-low', told: low, happenedAtMs: 119_000 } as const;
          script.at(heardAt, said);
          script.desired(heardAt + 1, 3, 1, react('i-low'));
          more(script);
          script.react(185, 186, 'i-185');
          script.desired(186, size, 1, react('i-185'));
        },
        long,
      );
    expect(found(2)).toEqual([]);
    expect(found(5)).toHaveLength(1);
    // A function that had begun before the other one was stored may not know it. Neither does one after a write of the policy or a loss of the state.
    expect(found(5, { heardAt: 178 })).toEqual([]);
    const isOver: Write = (script) => {
      script.react(150, 151, 'i-150');
      script.at(150, {
        ...{ kind: 'delivered', invocation: 'i-150', function: 'react', message: 'm-over' },
        ...{ told: { ...low, isOn: false }, happenedAtMs: 149_000 },
      });
    };
    expect(found(5, { more: isOver })).toEqual([]);
    expect(found(5, { more: (script) => script.policy(130, 1, { ...policy, scaling, tags: { a: 'b' } }) })).toEqual([]);
  });
  it('acts, or does not, by the last received of two changes of one moment', () => {
    const both = (...told: readonly (typeof on | typeof off)[]) =>
      broken(desiredAsAsked, (script) => {
        look(script, 130, told, 4);
        look(script, 200, [], 6);
      });
    expect(both(off, on)).toEqual([]);
    expect(both(on, off)).toHaveLength(1);
  });
  it('may act until a function received the change and did not fail or give the message back', () => {
    const over =
      (ended: object): Write =>
      (script) => {
        script.at(130, { kind: 'invocation-began', invocation: 'i-130', function: 'react' });
        script.at(130, { kind: 'delivered', invocation: 'i-130', function: 'react', message: 'm-1', told: off, happenedAtMs: 130_000 });
        script.at(140, {
          ...{ kind: 'invocation-ended', invocation: 'i-130', function: 'react', startedAtMs: 130_000, timeoutMs: 30_000, again: [], injected: true },
          ...ended,
        });
        look(script, 260, [], 6);
      };
    expect(broken(desiredAsAsked, over({}))).toHaveLength(1);
    expect(broken(desiredAsAsked, over({ again: ['m-2'] }))).toHaveLength(1);
    expect(broken(desiredAsAsked, over({ again: ['m-1'] }))).toEqual([]);
    expect(broken(desiredAsAsked, over({ error: { type: 'Killed', message: '' } }))).toEqual([]);
  });
  it('requires nothing of a group whose policy is deleted before the look would be late, and requires it of other groups', () => {
    expect(broken(lastingAlarmsActAgain, (script) => script.letGo(200))).toEqual([]);
    expect(broken(lastingAlarmsActAgain, (script) => script.letGo(600))).toHaveLength(1);
  });
  it('need not act where a fault may have met the looks', () => {
    const fault = { fault: { on: 'call', kind: 'error', code: 'x', status: 500 }, fromMs: 150_000, untilMs: 800_000 } as never;
    expect(broken(lastingAlarmsActAgain, () => undefined, { faults: [fault] })).toEqual([]);
    for (const read of ['Query', 'DescribeInstances']) expect(broken(lastingAlarmsActAgain, () => undefined, throttled(read))).toEqual([]);
  });
  it('acts whatever fault meets what a look does not need', () => {
    for (const call of ['CreateFleet', 'DescribeTargetHealth', 'PutEvents', 'StartExecution'])
      expect(broken(lastingAlarmsActAgain, () => undefined, throttled(call))).toHaveLength(1);
  });
});

describe('an alarm whose actions are suppressed', () => {
  const heard = (size: number) => (script: Script) => {
    twoServe(script);
    look(script, 100, [quiet], size);
  };
  it('changes nothing', () => {
    expect(details(desiredAsAsked, heard(2), long)).toEqual([]);
    expect(details(desiredAsAsked, heard(4), long)).toHaveLength(1);
    expect(details(lastingAlarmsActAgain, heard(2), long)).toEqual([]);
  });
});
