import { describe, expect, it } from 'vitest';
import { launchesWithinLimit } from '../../sandbox/judge/rules/bounds/launches.ts';
import { requestedSoon } from '../../sandbox/judge/rules/launches/requested.ts';
import { servesAgain } from '../../sandbox/judge/rules/launches/serving.ts';
import { details } from './details.ts';
import { historyOf, policy, react, type Script, spec, twoServe, user } from './histories.ts';

const long = { endedAtMs: 4_000_000 };
const limited = (launches: object) => ({ ...policy, launches });

const launch = (script: Script, second: number, instance: string): void => {
  script.react(second - 1, second + 2, `of-${instance}`);
  script.launch(second, instance, { pool: 'spot-a', by: react(`of-${instance}`) });
};
/** Each is launched, and ends a moment later. */
const launchMany = (script: Script, count: number, from: number, apart = 10): void => {
  for (let n = 0; n < count; n += 1) {
    launch(script, from + apart * n, `i-l${from}-${n}`);
    script.end(from + apart * n + 8, `i-l${from}-${n}`);
  }
};

describe('launches keep to the limit of the policy', () => {
  const found = (launches: object | undefined, write: (script: Script) => void, desired = 2) =>
    details(
      launchesWithinLimit,
      (script) => {
        script.policy(0, 1, launches === undefined ? policy : limited(launches));
        script.desired(0, desired);
        write(script);
      },
      long,
    );

  it('which is a number within a time', () => {
    const four = { atMost: 4, within: '10m' };
    expect(found(four, (script) => launchMany(script, 4, 100))).toEqual([]);
    expect(found(four, (script) => launchMany(script, 5, 100))).toEqual(['5 were launched, and the policy allows 4']);
  });

  it('and begins anew when its time is over', () => {
    const twice = (second: number) => (script: Script) => {
      launchMany(script, 4, 100, 1);
      launchMany(script, 1, second);
    };
    expect(found({ atMost: 4, within: '5m' }, twice(400))).toEqual([]);
    expect(found({ atMost: 4, within: '5m' }, twice(350))).toHaveLength(1);
  });

  it('which is ten at least, and three times the size within ten minutes, when the policy sets no limit', () => {
    expect(found(undefined, (script) => launchMany(script, 10, 100))).toEqual([]);
    expect(found(undefined, (script) => launchMany(script, 11, 100))).toHaveLength(1);
    expect(found(undefined, (script) => launchMany(script, 12, 100), 4)).toEqual([]);
    expect(found(undefined, (script) => launchMany(script, 13, 100), 4)).toHaveLength(1);
  });

  it('and allows one more for each member that EC2 warned about', () => {
    const stormy = (script: Script): void => {
      for (const instance of ['i-1', 'i-2']) {
        script.member(instance, { by: { kind: 'user' }, tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a' } });
        script.warn(90, instance);
      }
    };
    const six = (script: Script): void => {
      stormy(script);
      launchMany(script, 6, 100);
    };
    const seven = (script: Script): void => {
      stormy(script);
      launchMany(script, 7, 100);
    };
    expect(found({ atMost: 4, within: '10m' }, six)).toEqual([]);
    expect(found({ atMost: 4, within: '10m' }, seven)).toHaveLength(1);
  });

  it('and counts those of the first look that followed the policy', () => {
    const early = (write: (script: Script) => void) =>
      found({ atMost: 4, within: '10m' }, (script) => {
        launchMany(script, 4, 2);
        write(script);
        launchMany(script, 1, 100);
      });
    expect(early(() => undefined)).toEqual(['5 were launched, and the policy allows 4']);
    expect(early((script) => script.at(5, { kind: 'state-deleted', group: 'web', by: { kind: 'user' } }))).toEqual([]);
  });

  it('and allows none for one that is in standby or in the warm pool of its Auto Scaling group', () => {
    const aside = (how: 'standby' | 'warm' | 'member', backS?: number) =>
      found({ atMost: 4, within: '10m' }, (script) => {
        script.policy(2, 2, { ...limited({ atMost: 4, within: '10m' }), asg: 'web-asg' });
        const asg = how === 'warm' ? {} : { asg: 'web-asg' };
        script.member('i-1', { by: { kind: 'user' }, ...asg, tags: { 'aws:autoscaling:groupName': 'web-asg', 'holdfast:group': 'holdfast/web' } });
        if (how === 'standby') script.at(60, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'standby', by: { kind: 'user' } });
        script.warn(90, 'i-1');
        if (backS !== undefined) script.at(backS, { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: { kind: 'user' } } as never);
        launchMany(script, 5, 100);
      });
    expect(aside('member')).toEqual([]);
    expect(aside('standby')).toEqual(['5 were launched, and the policy allows 4']);
    expect(aside('warm')).toEqual(['5 were launched, and the policy allows 4']);
    // A look may have shown it as a member.
    expect(aside('standby', 92)).toEqual([]);
    expect(aside('warm', 92)).toEqual([]);
  });

  it('and begins anew when the policy is written', () => {
    const written = (script: Script): void => {
      launchMany(script, 4, 100);
      script.policy(150, 2, limited({ atMost: 4, within: '10m' }));
      launchMany(script, 4, 200);
    };
    expect(found({ atMost: 4, within: '10m' }, written)).toEqual([]);
  });
});

const tags = { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a' };
/** Two members, and so many launches before something happens. */
const lost =
  (launches: object, count: number) =>
  (script: Script): void => {
    script.policy(0, 1, limited(launches));
    script.desired(0, 2);
    for (const instance of ['i-1', 'i-2']) script.member(instance, { pool: 'spot-a', by: { kind: 'user' }, tags });
    launchMany(script, count, 100, 5);
  };

describe('what the limit of launches excuses', () => {
  it('is a member that is not replaced while as many were launched', () => {
    const late = (count: number) =>
      details(
        servesAgain,
        (script) => {
          lost({ atMost: 6, within: '5m' }, count)(script);
          script.end(200, 'i-1');
          launch(script, 570, 'i-new');
          script.serves(590, 'i-new');
        },
        long,
      );
    expect(late(6)).toEqual([]);
    expect(late(5)).toHaveLength(1);
  });

  it('is a request that comes late while as many were launched', () => {
    const asked = (count: number) =>
      details(
        requestedSoon,
        (script) => {
          lost({ atMost: 6, within: '10m' }, count)(script);
          script.warn(200, 'i-1');
          script.react(201, 205, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        },
        long,
      );
    // The warning itself makes room for one.
    expect(asked(7)).toEqual([]);
    expect(asked(5)).toHaveLength(1);
  });
});

describe('a limit of launches that a new policy lifts', () => {
  it('excuses a late request until a look has followed that policy, or should have', () => {
    const asked = (writtenS: number, count = 6) =>
      details(
        requestedSoon,
        (script) => {
          lost({ atMost: 6, within: '10m' }, count)(script);
          script.end(199, 'i-1');
          script.react(200, 202, 'i-a', [{ about: 'state', instance: 'i-1', state: 'terminated' }]);
          script.policy(writtenS, 2, limited({ atMost: 6, within: '10m' }));
        },
        long,
      );
    expect(asked(210)).toEqual([]);
    expect(asked(210, 5)).toHaveLength(1);
    expect(asked(170)).toHaveLength(1);
  });
});

describe('a limit of launches that a new policy has just lifted', () => {
  it('begins the time for a request anew, once a function received that policy', () => {
    const asked = ({ count = 6, launchedS = 213 } = {}) =>
      details(
        requestedSoon,
        (script) => {
          lost({ atMost: 6, within: '10m' }, count)(script);
          script.end(199, 'i-1');
          script.react(200, 202, 'i-a', [{ about: 'state', instance: 'i-1', state: 'terminated' }]);
          script.policy(205, 2, limited({ atMost: 6, within: '10m' }));
          script.react(206, 208, 'i-b', [{ about: 'policy', group: 'web' }]);
          script.desired(207, 2, 2, react('i-b'));
          launch(script, launchedS, 'i-n');
        },
        long,
      );
    expect(asked()).toEqual([]);
    expect(asked({ launchedS: 230 })).toHaveLength(1);
    expect(asked({ count: 5 })).toHaveLength(1);
  });
});

describe('a policy that is written while no pool of the one before can give', () => {
  it('begins the time for a request anew, once a function received it', () => {
    const asked = ({ gaveS = 150, launchedS = 115 } = {}) =>
      details(requestedSoon, (script) => {
        script.policy(0, 1, { ...policy, capacity: { spread: ['spot-b'] } });
        script.desired(1, 2);
        for (const instance of ['i-1', 'i-2']) script.member(instance);
        for (const [second, capacity] of [
          [2, 0],
          [gaveS, 10],
        ] as const)
          script.at(second, { kind: 'offering', instanceType: 't', zone: 'z-b', market: 'spot', capacity, priceUsdPerHour: 0.03 });
        script.warn(95, 'i-1');
        script.react(96, 98, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.policy(105, 2, policy);
        script.react(106, 108, 'i-b', [{ about: 'policy', group: 'web' }]);
        script.launch(launchedS, 'i-n', { by: react('i-b') });
      });
    expect(asked()).toEqual([]);
    expect(asked({ launchedS: 130 })).toHaveLength(1);
    // The pool could give before the policy was written.
    expect(asked({ gaveS: 3 })).toHaveLength(1);
  });
});

describe('a limit of launches that does not suffice for those that died and those that are warned', () => {
  it('excuses a late request for one of them', () => {
    const asked = (count: number) =>
      details(
        requestedSoon,
        (script) => {
          lost({ atMost: 6, within: '10m' }, count)(script);
          script.end(199, 'i-1');
          script.react(200, 202, 'i-a', [{ about: 'state', instance: 'i-1', state: 'terminated' }]);
          script.warn(203, 'i-2');
          script.react(204, 206, 'i-b', [{ about: 'warning', instance: 'i-2' }]);
        },
        long,
      ).filter((text) => text.includes('end of i-1'));
    expect(asked(6)).toEqual([]);
    expect(asked(5)).toHaveLength(1);
  });
});

describe('a replacement that is requested soon', () => {
  it('is none for a member that lives, and of which only an event of an end that is minutes old had said that it leaves', () => {
    const asked = (agoMs: number) =>
      details(requestedSoon, (script) => {
        twoServe(script);
        const told = { about: 'state', instance: 'i-2', state: 'shutting-down' } as const;
        script.react(90, 92, 'i-0');
        const happenedAtMs = historyOf((one) => one.policy(90, 1)).events[0]?.atMs ?? 0;
        script.at(90, { kind: 'delivered', invocation: 'i-0', function: 'react', message: 'm', told, happenedAtMs: happenedAtMs - agoMs });
        script.warn(95, 'i-2');
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.launch(102, 'i-n', { pool: 'spot-a', by: react('i-a') });
      });
    expect(asked(600_000)).toEqual([]);
    expect(asked(100_000)).toHaveLength(1);
  });
  it('is none for a member whose warning was received, and lost with the state table before it was received again', () => {
    const asked = ({ restoredS = 80, copiedS = 60, again = false } = {}) =>
      details(requestedSoon, (script) => {
        twoServe(script);
        script.warn(70, 'i-2');
        script.react(71, 73, 'i-0', [{ about: 'warning', instance: 'i-2' }]);
        script.launch(72, 'i-3', { by: react('i-0') });
        const restored = { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [], copiedAtMs: 1_000 * copiedS } as const;
        script.at(restoredS, restored);
        script.desired(85, 3);
        if (again) script.react(90, 92, 'i-0', [{ about: 'warning', instance: 'i-2' }]);
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        script.launch(102, 'i-n', { by: react('i-a') });
      }).filter((detail) => detail.includes('of i-1'));
    expect(asked()).toEqual([]);
    expect([asked({ copiedS: 75 }), asked({ restoredS: 70 }), asked({ again: true })].map(({ length }) => length)).toEqual([1, 1, 1]);
  });
  it('is none for a member that its user detached less than 45 seconds after it joined, at the time of the warning', () => {
    const asked = ({ joinedS = 60, launches = 1 } = {}) =>
      details(requestedSoon, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(1, 3);
        for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
        script.launch(joinedS, 'i-3', { asg: 'web-asg', by: react('i-0') });
        script.at(95, { kind: 'left', instance: 'i-3', asg: 'web-asg', how: 'detached', by: user });
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        for (let n = 0; n < launches; n += 1) script.launch(102, `i-n${n}`, { asg: 'web-asg', by: react('i-a') });
      });
    expect(asked()).toEqual([]);
    expect([asked({ joinedS: 50 }), asked({ launches: 0 })].map(({ length }) => length)).toEqual([1, 1]);
  });
  it('is none for an ended member while a look may still show that the Auto Scaling group holds it and replaces it', () => {
    const asked = ({ outS = 98, size = 2, lagSeconds = 4, wanted = 3 } = {}) =>
      details(
        requestedSoon,
        (script) => {
          const numbers = { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 9, suspended: [], by: user } as const;
          script.policy(0, 1, { ...policy, asg: 'web-asg' });
          script.desired(1, wanted);
          script.at(1, { ...numbers, desired: 3 });
          for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, { asg: 'web-asg' });
          script.at(outS, { kind: 'left', instance: 'i-2', asg: 'web-asg', how: 'standby', by: user }, { ...numbers, desired: size });
          for (const instance of ['i-2', 'i-3']) script.end(99, instance);
          const told = ['i-2', 'i-3'].map((instance) => ({ about: 'state', instance, state: 'shutting-down' }) as const);
          script.react(100, 103, 'i-a', told);
        },
        { spec: { ...spec, timing: { ...spec.timing, asgLagSeconds: [0, lagSeconds] } } },
      );
    expect(asked()).toEqual([]);
    expect([asked({ outS: 95 }), asked({ lagSeconds: 1 }), asked({ size: 3, wanted: 4 })].map(({ length }) => length)).toEqual([1, 1, 1]);
  });
  it('is none where only a pool of weight 0 could give one more, because such a pool gets no members', () => {
    const asked = (weight: number, capacity = 0) =>
      details(requestedSoon, (script) => {
        twoServe(script);
        const weighted = ['spot-b', 'od-b'].map((use, index) => ({ use, weight: index === 0 ? 1 : weight }));
        script.policy(10, 2, { ...policy, capacity: { weighted } });
        script.at(20, { kind: 'offering', instanceType: 't', zone: 'z-b', market: 'spot', capacity, priceUsdPerHour: 0.03 });
        script.warn(100, 'i-1');
        script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
      });
    expect(asked(0)).toEqual([]);
    expect([asked(1), asked(0, 10)].map(({ length }) => length)).toEqual([1, 1]);
  });
  it('is none while a look may still show that the sizes of the Auto Scaling group count weights', () => {
    const asked = (offS: number, lagSeconds: number) =>
      details(
        requestedSoon,
        (script) => {
          const numbers = { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 9, desired: 2, suspended: [], by: user } as const;
          script.policy(0, 1, { ...policy, asg: 'web-asg' });
          for (const instance of ['i-1', 'i-2']) script.member(instance, { asg: 'web-asg' });
          script.at(50, { ...numbers, unfit: ['weights'], weights: { t: 3 } });
          script.at(offS, numbers);
          script.warn(100, 'i-1');
          script.react(101, 103, 'i-a', [{ about: 'warning', instance: 'i-1' }]);
        },
        { spec: { ...spec, timing: { ...spec.timing, asgLagSeconds: [0, lagSeconds] } } },
      );
    expect(asked(99, 4)).toEqual([]);
    expect([asked(99, 0), asked(95, 4)].map(({ length }) => length)).toEqual([1, 1]);
  });
});
