import { describe, expect, it } from 'vitest';
import type { Actor } from '../../sandbox/judge/history.ts';
import { hooksAreHeld } from '../../sandbox/judge/rules/drains/endings.ts';
import { drainBeginsInTime, warnedTakenOut } from '../../sandbox/judge/rules/drains/warned.ts';
import { servesAgain } from '../../sandbox/judge/rules/launches/serving.ts';
import { observeChangesNothing, pauseIsIdle } from '../../sandbox/judge/rules/modes.ts';
import { details } from './details.ts';
import { policy, react, type Script, spec, twoServe, user } from './histories.ts';

/** From second 100 in this mode. An invocation looks afterwards. */
const inMode = (script: Script, mode: string): void => {
  twoServe(script);
  script.policy(100, 2, { ...policy, mode });
  script.react(149, 155, 'later');
};

describe('pause launches and removes nothing', () => {
  const found = (write: (script: Script) => void) =>
    details(pauseIsIdle, (script) => {
      inMode(script, 'pause');
      write(script);
    });
  it('breaks for a launch', () => {
    expect(found((script) => script.launch(150, 'i-9', { by: react('later') }))).toEqual(['i-9 was launched']);
  });
  it('holds for a launch by a function that looked before', () => {
    const before = (script: Script): void => {
      script.react(99, 106, 'before');
      script.launch(105, 'i-9', { by: react('before') });
    };
    expect(found(before)).toEqual([]);
  });
  it('breaks for a member that was taken out of service, and holds for one that EC2 takes', () => {
    expect(found((script) => script.takeOut(150, 'i-1', react('later')))).toEqual(['i-1 was taken out of service']);
    const warned = (script: Script): void => {
      script.warn(120, 'i-1');
      script.takeOut(150, 'i-1', react('later'));
    };
    expect(found(warned)).toEqual([]);
  });
  it('breaks for an end, and holds where the drain had begun', () => {
    expect(found((script) => script.end(150, 'i-1', react('later')))).toContain('i-1 was ended');
    const begun = (script: Script): void => {
      script.react(89, 91, 'before');
      script.takeOut(90, 'i-1', react('before'));
      script.end(150, 'i-1', react('later'));
    };
    expect(found(begun)).toEqual([]);
  });
});

describe('pause launches and removes nothing, while the sizes of an Auto Scaling group count weights', () => {
  const weighed = { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 9, desired: 2, suspended: [], by: user } as const;
  type Times = { readonly onAt?: number; readonly offAt?: number; readonly launchedAt: number; readonly lagSeconds?: number };
  const found = ({ onAt = 100, offAt, launchedAt, lagSeconds = 0 }: Times) =>
    details(
      pauseIsIdle,
      (script) => {
        twoServe(script);
        script.policy(90, 2, { ...policy, asg: 'web-asg' });
        script.at(onAt, { ...weighed, unfit: ['weights'], weights: { t: 3 } });
        if (offAt !== undefined) script.at(offAt, weighed);
        script.react(launchedAt - 1, launchedAt + 5, 'later');
        script.launch(launchedAt, 'i-9', { by: react('later') });
      },
      { spec: { ...spec, timing: { ...spec.timing, asgLagSeconds: [0, lagSeconds] } } },
    );
  it('breaks for a launch', () => {
    expect(found({ launchedAt: 150 })).toEqual(['i-9 was launched']);
  });
  it('holds once the sizes count instances again', () => {
    expect(found({ offAt: 140, launchedAt: 150 })).toEqual([]);
  });
  it('holds for a look that need not show the weights yet, and for no later one', () => {
    expect(found({ launchedAt: 103, lagSeconds: 4 })).toEqual([]);
    expect(found({ launchedAt: 106, lagSeconds: 4 })).toEqual(['i-9 was launched']);
    expect(found({ launchedAt: 103 })).toEqual(['i-9 was launched']);
  });
});

describe('observe changes nothing', () => {
  const found = (write: (script: Script) => void) =>
    details(observeChangesNothing, (script) => {
      inMode(script, 'observe');
      write(script);
    });
  it('breaks for a launch, and for a warned member that was taken out of service', () => {
    const both = (script: Script): void => {
      script.launch(150, 'i-9', { by: react('later') });
      script.warn(120, 'i-1');
      script.takeOut(151, 'i-1', react('later'));
    };
    expect(found(both)).toEqual(['i-9 was launched', 'i-1 was taken out of service']);
  });
  it('breaks for a tag', () => {
    const tags = { team: 'other' };
    const tag = (script: Script, by: ReturnType<typeof react> | typeof user): void => script.at(150, { kind: 'tagged', instance: 'i-1', tags, by });
    expect(found((script) => tag(script, react('later')))).toEqual(['i-1 was tagged']);
    expect(found((script) => tag(script, user))).toEqual([]);
  });
  it('breaks for a call that registers, and holds for one that ends what had begun', () => {
    const call = (operation: string) => (script: Script) =>
      script.at(150, {
        ...{ kind: 'called', invocation: 'later', function: 'react', service: 'elasticloadbalancing', operation, askedAtMs: 149_500 },
        ...{ outcome: 'ok', applied: true, isMutating: true },
      });
    expect(found(call('RegisterTargets'))).toEqual(['elasticloadbalancing:RegisterTargets was called']);
    expect(found(call('DeregisterTargets'))).toEqual([]);
  });
  it('breaks for any call where no group ever acted', () => {
    const never = details(observeChangesNothing, (script) => {
      script.policy(1, 1, { ...policy, mode: 'observe' });
      script.react(149, 155, 'later');
      script.at(150, {
        ...{ kind: 'called', invocation: 'later', function: 'react', service: 'ec2', operation: 'TerminateInstances', askedAtMs: 149_500 },
        ...{ outcome: 'ok', applied: true, isMutating: true },
      });
    });
    expect(never).toEqual(['ec2:TerminateInstances was called']);
  });
});

describe.each([
  ['pause', pauseIsIdle],
  ['observe', observeChangesNothing],
] as const)('in %s, a desired capacity falls only with a member', (mode, rule) => {
  const lowered = ({ by = react('later'), write = () => {}, size }: { by?: Actor; write?: (script: Script) => void; size?: object } = {}) =>
    details(rule, (script) => {
      const asg = { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 9, suspended: [] } as const;
      inMode(script, mode);
      script.policy(101, 3, { ...policy, ...size, mode, asg: 'web-asg' });
      script.at(102, { ...asg, desired: 4, by: user });
      write(script);
      script.at(150, { ...asg, desired: 3, by });
    }).filter((detail) => detail.startsWith('web-asg'));

  it('and breaks where a function lowers it', () => {
    expect(lowered()).toEqual(['web-asg: its desired capacity was lowered from 4 to 3']);
  });
  it('and holds where others do, where the function looked before, and where others set the size', () => {
    expect(lowered({ by: user })).toEqual([]);
    expect(lowered({ by: react('before'), write: (script) => script.react(99, 151, 'before') })).toEqual([]);
    expect(lowered({ size: { size: { from: 'asg', min: 1, max: 9 } } })).toEqual([]);
  });
});

/** In this mode from one second on, and acting again from another. */
const between = (script: Script, mode: string, from: number, until: number, document: object = policy): void => {
  script.policy(from, 2, { ...document, mode });
  script.policy(until, 3, { ...document });
};

describe('what an observed group does not do', () => {
  const warned = (script: Script): void => {
    twoServe(script);
    script.warn(100, 'i-1');
    script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
    script.end(220, 'i-1');
  };
  it('is to take a warned member out of service, when that was due and a look before its end', () => {
    const left = (from: number, until: number) =>
      details(warnedTakenOut, (script) => {
        warned(script);
        between(script, 'observe', from, until);
      });
    expect(left(90, 131)).toHaveLength(0);
    expect(left(90, 129)).toHaveLength(1);
    expect(left(197, 300)).toHaveLength(0);
    expect(left(199, 300)).toHaveLength(1);
  });
  it('is to begin its drain in time', () => {
    const late = (from: number, until: number) =>
      details(drainBeginsInTime, (script) => {
        warned(script);
        script.takeOut(205, 'i-1');
        between(script, 'observe', from, until);
      });
    expect(late(90, 102)).toEqual([]);
    expect(late(90, 100)).toHaveLength(1);
    expect(late(197, 203)).toEqual([]);
    expect(late(199, 203)).toHaveLength(1);
  });
  it('is to complete a hook, or to keep it alive', () => {
    const attached = { ...policy, asg: 'web-asg' };
    const hooked = (how: 'expired' | 'completed', from: number, until: number, waits = 100) =>
      details(hooksAreHeld, (script) => {
        script.policy(0, 1, attached);
        script.member('i-1', { asg: 'web-asg' });
        const hook = { instance: 'i-1', asg: 'web-asg', hook: 'drain' };
        script.at(waits, { kind: 'hook-waits', ...hook, expiresAtMs: 400_000 });
        script.at(400, { kind: 'hook-over', ...hook, how, result: how === 'expired' ? 'CONTINUE' : 'ABANDON', by: react('drain') });
        between(script, 'observe', from, until, attached);
      });
    expect(hooked('expired', 90, 311)).toEqual([]);
    expect(hooked('expired', 90, 309)).toHaveLength(1);
    expect(hooked('expired', 90, 350, 360)).toHaveLength(1);
    expect(hooked('expired', 401, 500)).toHaveLength(1);
    expect(hooked('completed', 90, 500)).toHaveLength(1);
  });
});

describe('time to serve', () => {
  it('is counted from when the group acts again', () => {
    const again = (second: number, mode: string, until: number, from = 50) =>
      details(
        servesAgain,
        (script) => {
          twoServe(script);
          script.end(100, 'i-1');
          between(script, mode, from, until);
          script.launch(second - 30, 'i-3');
          script.serves(second, 'i-3');
        },
        { endedAtMs: 1_000_000 },
      );
    for (const mode of ['pause', 'observe']) {
      expect(again(379, mode, 200)).toEqual([]);
      expect(again(381, mode, 200)).toHaveLength(1);
    }
    expect(again(381, 'act', 200)).toHaveLength(1);
    expect(again(281, 'pause', 90)).toHaveLength(1);
  });

  it('is counted from when the owner of the Auto Scaling group that members join resumes Launch', () => {
    const resumed = (servesAt: number, suspended: readonly string[], untilS: number, by: Actor = user, asg = 'web-asg') =>
      details(
        servesAgain,
        (script) => {
          twoServe(script);
          script.policy(2, 1, { ...policy, asg: 'web-asg' });
          const change = (second: number, now: readonly string[]) =>
            script.at(second, { kind: 'asg-changed', asg, min: 0, max: 9, desired: 2, suspended: now, by });
          change(3, []);
          change(50, suspended);
          change(untilS, []);
          script.end(100, 'i-1');
          script.launch(servesAt - 30, 'i-3');
          script.serves(servesAt, 'i-3');
        },
        { endedAtMs: 1_000_000 },
      );
    expect(resumed(379, ['Launch'], 200)).toEqual([]);
    expect(resumed(381, ['Launch'], 200)).toHaveLength(1);
    // Another process keeps nobody out, and neither does another group, Holdfast itself, or a time that was over before the loss.
    expect(resumed(379, ['Terminate'], 200)).toHaveLength(1);
    expect(resumed(379, ['Launch'], 200, user, 'other-asg')).toHaveLength(1);
    expect(resumed(379, ['Launch'], 200, react('i-a'))).toHaveLength(1);
    expect(resumed(281, ['Launch'], 90)).toHaveLength(1);
  });
});
