import type { Actor, HistoryEvent } from '../../sandbox/judge/history.ts';
import type { WorldSpec } from '../../sandbox/world/spec.ts';
import { policy, react, type Script, spec, twoServe, user } from './histories.ts';

type Write = (script: Script) => void;
const nothing: Write = () => undefined;
type Called = Extract<HistoryEvent, { readonly kind: 'called' }>;
/** A history that needs a row, others that need it as well, and some that lie just outside of it. */
type Cases = {
  readonly needed: Write;
  readonly also?: Readonly<Record<string, Write>>;
  readonly beyond: Readonly<Record<string, Write>>;
  /** The world, where it is another one than that of all. */
  readonly spec?: WorldSpec;
};

const heard = (instance: string) => [{ about: 'warning', instance } as const];

/** Warned at 100, and never taken out of service. */
const neverOut =
  (write: Write, takenSecond = 220, other = false): Write =>
  (script) => {
    twoServe(script);
    script.warn(100, 'i-1');
    if (other) script.warn(100, 'i-2');
    write(script);
    script.end(takenSecond, 'i-1');
    if (other) script.end(takenSecond, 'i-2');
  };

const faultyDrain =
  (second: number, { injected = true, drain = 'd-1', invocation = 'i-d' } = {}): Write =>
  (script) =>
    script.at(second, {
      kind: 'invocation-ended',
      invocation,
      function: 'holdfast-begin-drain',
      startedAtMs: 1_000 * second - 500,
      timeoutMs: 60_000,
      again: [],
      injected,
      drain,
    });

/** A warning of 100 is received, and puts its member on a drain, whose functions end with faults at these seconds. */
const faultyDrains =
  (write: Write, seconds: readonly number[] = [180, 200, 215], drain = 'd-1'): Write =>
  (script) => {
    script.react(101, 103, 'i-a', heard('i-1'));
    const swap = { reason: 'interruption', state: 'leaving', drain: 'd-1' };
    script.at(103, { kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by: react('i-a'), swap });
    script.at(104, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-1'], status: 'started' });
    for (const second of seconds) faultyDrain(second, { drain })(script);
    write(script);
  };

/** Warned at 100, and never taken out of service by its drain, whose functions end with faults. */
const stoppedDrain = (...faulty: Parameters<typeof faultyDrains>): Write => neverOut(faultyDrains(...faulty));

/** Warned at 100 and put on such a drain. EC2 does not take it at 220, and it is taken out of service at this second. */
const sparedDrain =
  (second: number, ...faulty: Parameters<typeof faultyDrains>): Write =>
  (script) => {
    twoServe(script);
    script.warn(100, 'i-1');
    faultyDrains(...faulty)(script);
    script.takeOut(second, 'i-1');
  };

/** Warned at 100 and let go at 110; the policy returns a second before a function receives it. */
const takenUp =
  (second: number, injected: boolean): Write =>
  (script) => {
    script.react(101, 103, 'i-a', heard('i-1'));
    script.letGo(110);
    script.policy(second - 1, 2);
    script.react(second, second + 1, 'i-b', [{ about: 'policy', group: 'web' }], injected);
  };

const warned: Readonly<Record<string, Cases>> = {
  'no function received the warning': {
    needed: neverOut(() => undefined),
    beyond: {
      'it was heard': neverOut((script) => script.react(101, 103, 'i-a', heard('i-1'))),
      'another one was not heard': neverOut((script) => script.react(101, 103, 'i-a', heard('i-2')), 220, true),
    },
  },
  'the warning was heard too late': {
    needed: neverOut((script) => script.react(210, 212, 'i-a', heard('i-1'))),
    beyond: {
      'heard sixteen seconds before the end': neverOut((script) => script.react(204, 206, 'i-a', heard('i-1'))),
      'heard before by a function that no fault met': neverOut((script) => {
        script.react(110, 112, 'i-a', heard('i-1'));
        script.react(210, 212, 'i-b', heard('i-1'), true);
      }),
    },
  },
  'the warning was heard only while the group was let go': {
    needed: neverOut((script) => {
      script.react(101, 102, 'i-a', heard('i-1'), true);
      script.letGo(130);
      script.react(141, 143, 'i-b', heard('i-1'));
      script.policy(180, 2);
    }),
    beyond: {
      'it was heard again before the group was let go': neverOut((script) => {
        script.react(101, 102, 'i-a', heard('i-1'), true);
        script.react(120, 122, 'i-b', heard('i-1'));
        script.letGo(130);
        script.policy(180, 2);
      }),
      'it was heard again after the policy was written again': neverOut((script) => {
        script.react(101, 102, 'i-a', heard('i-1'), true);
        script.letGo(130);
        script.policy(135, 2);
        script.react(141, 143, 'i-b', heard('i-1'));
      }),
    },
  },
  'a fault met the function that took the group up again': {
    needed: neverOut(takenUp(196, true)),
    beyond: {
      'no fault met it': neverOut(takenUp(196, false)),
      'it is told early enough by a tick': neverOut((script) => {
        takenUp(190, true)(script);
        script.react(200, 202, 'i-c', [{ about: 'tick', groups: ['web'] }]);
      }),
      'the policy came back more than a tick before': neverOut(takenUp(140, true)),
      'the policy was never deleted': neverOut((script) => {
        script.react(101, 103, 'i-a', heard('i-1'));
        script.policy(195, 2);
        script.react(196, 197, 'i-b', [{ about: 'policy', group: 'web' }], true);
      }),
    },
  },
  'the policy came back too late': {
    needed: neverOut(takenUp(212, false)),
    beyond: {
      'it came back sixteen seconds before the end': neverOut(takenUp(205, false)),
      'its drain had to begin before the policy was deleted': neverOut((script) => {
        script.react(101, 103, 'i-a', heard('i-1'));
        script.letGo(215);
        script.policy(218, 2);
      }),
      'the policy was never deleted': neverOut((script) => {
        script.react(101, 103, 'i-a', heard('i-1'));
        script.policy(218, 2);
      }),
    },
  },
  'faults met every function until the member was gone': {
    needed: stoppedDrain(() => undefined),
    beyond: {
      'no function of the drain ran in that time': stoppedDrain(() => undefined, []),
      'one ran without a fault': stoppedDrain(faultyDrain(195, { injected: false })),
      'a function without a fault received a tick': stoppedDrain((script) => script.react(190, 191, 'i-t', [{ about: 'tick', groups: ['web'] }])),
      'a function without a fault received a message about another member': stoppedDrain((script) => script.react(190, 191, 'i-t', heard('i-2'))),
      'the drain is that of another member': stoppedDrain(() => undefined, [180, 200, 215], 'd-2'),
    },
  },
  'faults met every function until the deadline of the member': {
    needed: sparedDrain(300, nothing),
    beyond: {
      'it is taken out before its deadline': sparedDrain(218, nothing),
      'no function of the drain ran in that time': sparedDrain(300, nothing, []),
      'one ran without a fault': sparedDrain(300, faultyDrain(195, { injected: false })),
      'a function without a fault received a tick': sparedDrain(300, (script) => script.react(190, 191, 'i-t', [{ about: 'tick', groups: ['web'] }])),
      'the drain is that of another member': sparedDrain(300, nothing, [180, 200, 215], 'd-2'),
    },
  },
  'the load balancer took it out of no service': {
    needed: neverOut((script) => {
      script.react(101, 103, 'i-a', heard('i-1'));
      for (const second of [150, 180, 210]) script.at(second, deregisters(second));
    }),
    beyond: {
      'Holdfast gave up early': neverOut((script) => {
        script.react(101, 103, 'i-a', heard('i-1'));
        for (const second of [150, 180]) script.at(second, deregisters(second));
      }),
      'no fault met one of the calls': neverOut((script) => {
        script.react(101, 103, 'i-a', heard('i-1'));
        script.at(150, deregisters(150));
        script.at(210, { ...deregisters(210, 'i-1', { outcome: 'ValidationError' }), trouble: undefined } as never);
      }),
      'a call was carried out, and its response was lost': neverOut((script) => {
        script.react(101, 103, 'i-a', heard('i-1'));
        script.at(150, deregisters(150, 'i-1', { outcome: 'lost', applied: true }));
        script.at(210, deregisters(210));
      }),
      'the calls were for another member': neverOut((script) => {
        script.react(101, 103, 'i-a', heard('i-1'));
        script.at(210, deregisters(210, 'i-2'));
      }),
      'it was tried before its warning only': neverOut((script) => {
        script.react(101, 103, 'i-a', heard('i-1'));
        script.at(99, deregisters(99));
      }),
      'the calls were for another target group': neverOut((script) => {
        script.react(101, 103, 'i-a', heard('i-1'));
        for (const second of [150, 180, 210]) script.at(second, deregisters(second, 'i-1', { takesOutOf: 'api' }));
      }),
    },
  },
  'EC2 took it before its time': {
    needed: neverOut((script) => script.react(101, 103, 'i-a', heard('i-1')), 150),
    beyond: { 'EC2 took it when it had said': neverOut((script) => script.react(101, 103, 'i-a', heard('i-1')), 219) },
  },
};

/** A call to the load balancer that is to take an instance out of service. */
const deregisters = (second: number, instance = 'i-1', more: Partial<Called> = {}): Omit<Called, 'atMs'> => ({
  kind: 'called',
  invocation: 'i-d',
  function: 'holdfast-begin-drain',
  service: 'elasticloadbalancing',
  operation: 'DeregisterTargets',
  askedAtMs: 1_000 * second,
  outcome: 'AccessDenied',
  trouble: 'fault',
  applied: false,
  isMutating: true,
  takesOut: [instance],
  takesOutOf: 'web',
  ...more,
});

/** A member that is warned at 100 s, taken out of service at this second, and gone at 220 s. */
const drainedAt =
  (second: number) =>
  (write: Write): Write =>
  (script) => {
    twoServe(script);
    script.warn(100, 'i-1');
    script.react(101, 103, 'i-a', heard('i-1'));
    write(script);
    script.takeOut(second, 'i-1');
    script.end(220, 'i-1');
  };

/** A member that drain `d-1` takes out of service too late. */
const lateDrain = (write: Write): Write =>
  drainedAt(205)((script) => {
    const swap = { reason: 'interruption', state: 'leaving', drain: 'd-1' };
    script.at(103, { kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by: react('i-a'), swap });
    script.at(104, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-1'], status: 'started' });
    write(script);
  });

/** A function reads for this many seconds until a moment, and begins the drain then. */
const slowDrain =
  (second: number, seconds: number, drain = 'd-1'): Write =>
  (script) => {
    script.at(second - seconds, { kind: 'invocation-began', invocation: 'i-d', function: 'holdfast-begin-drain', drain });
    script.at(second, {
      kind: 'called',
      invocation: 'i-d',
      function: 'holdfast-begin-drain',
      service: 'dynamodb',
      operation: 'Query',
      askedAtMs: 1_000 * (second - seconds),
      outcome: 'ok',
      applied: true,
      isMutating: false,
    } as never);
    faultyDrain(206, { drain })(script);
  };

/** The function that begins the drain calls, and calls again so many seconds later, because the first call was refused. */
const repeats =
  (seconds: number, more: Partial<Called> = {}): Write =>
  (script) => {
    const call = { kind: 'called', invocation: 'drain', function: 'holdfast-begin-drain', service: 'dynamodb', operation: 'Query' } as const;
    const refused = { outcome: 'ThrottlingException', trouble: 'fault', applied: false, isMutating: false } as const;
    script.at(204 - seconds, { ...call, ...refused, askedAtMs: 1_000 * (204 - seconds), ...more });
    script.at(204, { ...call, askedAtMs: 204_000, outcome: 'ok', applied: true, isMutating: false });
  };

/** Two writes of four seconds. */
const inTurn = [
  [196.5, 200.5],
  [200.5, 204.5],
] as const;

/** The function that begins the drain writes between these seconds. Its end says that a fault met it, or none. */
const slowWrites =
  (spans: readonly (readonly [number, number])[], more: Partial<Called> = {}, injected = true): Write =>
  (script) => {
    for (const [from, to] of spans)
      script.at(to, {
        ...{ kind: 'called', invocation: 'drain', function: 'holdfast-begin-drain', service: 'dynamodb', operation: 'UpdateItem' },
        ...{ askedAtMs: 1_000 * from, outcome: 'ok', applied: true, isMutating: true },
        ...more,
      } as Omit<Called, 'atMs'>);
    faultyDrain(206, { invocation: 'drain', injected })(script);
  };

/** A member whose warning functions received that died, and that is taken out of service too late, by one that lives. */
const begunAfterDeaths =
  (heardS: number, write: Write = () => undefined): Write =>
  (script) => {
    twoServe(script);
    script.warn(100, 'i-1');
    script.react(101, 103, 'i-a', heard('i-1'), true);
    script.claim(102, 'i-1', 'i-a');
    script.react(150, 151, 'i-b', heard('i-1'), true);
    write(script);
    script.react(heardS, heardS + 2, 'i-c', heard('i-1'));
    script.takeOut(205, 'i-1');
    script.end(220, 'i-1');
  };
const lives =
  (told: Parameters<Script['react']>[3]): Write =>
  (script) =>
    script.react(160, 161, 'i-d', told);

/** A member that is warned, and whose drain Step Functions refuses to start at these seconds. It is taken out of service too late, at 205. */
const startedLate =
  (refusedS: readonly number[], more: Partial<Called> = {}, write = nothing): Write =>
  (script) => {
    twoServe(script);
    script.warn(100, 'i-1');
    script.react(101, 103, 'i-a', heard('i-1'));
    const swap = { reason: 'interruption', state: 'leaving', drain: 'd-1' };
    script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by: react('i-a'), swap });
    const call = { kind: 'called', invocation: 'i-a', function: 'react', service: 'states', operation: 'StartExecution', isMutating: true } as const;
    for (const second of refusedS) {
      const refused = { outcome: 'InternalError', trouble: 'fault', applied: false, starts: 'd-1', askedAtMs: 1_000 * second } as const;
      script.at(second, { ...call, ...refused, ...more });
    }
    write(script);
    script.at(204, { ...call, outcome: 'ok', applied: true, starts: 'd-1', askedAtMs: 204_000 });
    script.takeOut(205, 'i-1');
    script.end(220, 'i-1');
  };

const drains: Readonly<Record<string, Cases>> = {
  'Step Functions did not start the drain': {
    needed: startedLate([103, 150, 192]),
    beyond: {
      'it was not called at all': startedLate([]),
      'the last refused call lies more than fifteen seconds back': startedLate([103, 189]),
      'the account refused the call, and no fault': startedLate([103, 192], { trouble: 'bucket' }),
      'a refused call was to start another drain': startedLate([103, 192], { starts: 'd-2' }),
      'it was started, and the response was lost': startedLate([103, 192], { applied: true }),
      'one call failed without a fault': startedLate([103, 192], {}, (script) => {
        const failed = { outcome: 'ValidationException', applied: false, isMutating: true, starts: 'd-1', askedAtMs: 193_000 } as const;
        script.at(193, { kind: 'called', invocation: 'i-a', function: 'react', service: 'states', operation: 'StartExecution', ...failed });
      }),
    },
  },
  'faults met every function that could begin the drain': {
    needed: begunAfterDeaths(204),
    beyond: {
      'a function without a fault received the warning before': begunAfterDeaths(204, lives(heard('i-1'))),
      'one received a tick of the group': begunAfterDeaths(204, lives([{ about: 'tick', groups: ['web'] }])),
      'one received a message about another member': begunAfterDeaths(204, lives(heard('i-2'))),
      'the first one without a fault ran twenty seconds before': begunAfterDeaths(185),
    },
  },
  'a function of the drain met a fault': {
    needed: lateDrain(faultyDrain(192)),
    also: {
      'a fault delayed a read of the function that began it': lateDrain(slowDrain(204, 5)),
      'faults refused calls of the function that began it, which it repeated': lateDrain(repeats(8)),
      'faults delayed writes of the function that began it, one after the other': lateDrain(slowWrites(inTurn)),
    },
    beyond: {
      'the fault lies half a minute back': lateDrain(faultyDrain(170)),
      'no fault was injected': lateDrain(faultyDrain(192, { injected: false })),
      'the fault met another drain': lateDrain(faultyDrain(192, { drain: 'd-2' })),
      'the fault delayed a read of another drain': lateDrain(slowDrain(204, 5, 'd-2')),
      'the function that began it had a fault only after that': lateDrain(faultyDrain(206)),
      'its read took no longer than others': lateDrain(slowDrain(204, 1)),
      'the delayed read lies half a minute back': lateDrain(slowDrain(175, 5)),
      'the repeats took less time than it is late by': lateDrain(repeats(6)),
      'it was the account that refused the call': lateDrain(repeats(8, { trouble: 'bucket' })),
      'the refused call was one of another function': lateDrain(repeats(8, { invocation: 'i-x' })),
      'the delayed writes took less time than it is late by': lateDrain(slowWrites(inTurn.slice(1))),
      'the delayed writes were made at the same time': lateDrain(slowWrites([inTurn[1], inTurn[1]])),
      'the writes took no longer than others': lateDrain(slowWrites([200, 201, 202, 203].map((second) => [second, second + 2]))),
      'the last write ended only after that': lateDrain(slowWrites([inTurn[0], [201, 206]])),
      'no fault met the function with the long writes': lateDrain(slowWrites(inTurn, {}, false)),
      'the delayed writes were those of another function': lateDrain(slowWrites(inTurn, { invocation: 'i-x' })),
      'the refused call was not repeated': lateDrain(repeats(8, { operation: 'GetItem' })),
    },
  },
  'the group was let go meanwhile': {
    needed: lateDrain((script) => {
      script.letGo(150);
      script.policy(200, 2);
    }),
    beyond: {
      'it was let go before the warning': lateDrain((script) => {
        script.letGo(90);
        script.policy(95, 2);
      }),
      'another group was let go': lateDrain((script) => {
        script.policy(0, 1, policy, 'api');
        script.letGo(150, 'api');
      }),
    },
  },
};

const earlyDrain = drainedAt(130);

const called =
  (second: number, more: Readonly<Record<string, unknown>>): Write =>
  (script) =>
    script.at(second, {
      kind: 'called',
      invocation: 'i-a',
      function: 'holdfast-begin-drain',
      service: 'elasticloadbalancing',
      operation: 'DescribeTargetGroupAttributes',
      askedAtMs: 1_000 * second,
      outcome: 'Throttling',
      applied: false,
      isMutating: false,
      ...more,
    } as never);

const unasked =
  (write: Write): Write =>
  (script) => {
    twoServe(script);
    script.warn(100, 'i-1');
    script.react(101, 103, 'i-a', heard('i-1'));
    write(script);
    script.end(220, 'i-1');
  };
/** A look that reads until 110, and a launch at 116. */
const slowLook =
  (askedSecond: number, { injected = true, launches = 'i-b' } = {}): Write =>
  (script) => {
    script.react(103, 118, 'i-b', [], injected);
    if (launches !== 'i-b') script.react(103, 118, launches);
    called(110, {
      invocation: 'i-b',
      function: 'react',
      service: 'ec2',
      operation: 'DescribeInstances',
      askedAtMs: 1_000 * askedSecond,
      outcome: 'ok',
    })(script);
    script.launch(116, 'i-3', { by: react(launches) });
  };
/** Another member was warned before. The function that received that reads for long, and the first member is replaced meanwhile. */
const otherSlow =
  (answeredSecond: number, { injected = true, replacements = ['i-3'] } = {}): Write =>
  (script) => {
    script.warn(99, 'i-2');
    script.react(100, 130, 'i-b', heard('i-2'), injected);
    const read = { invocation: 'i-b', function: 'react', service: 'ec2', operation: 'DescribeInstances', outcome: 'ok' };
    called(answeredSecond, { ...read, askedAtMs: 100_000 })(script);
    for (const instance of replacements) script.launch(102, instance, { by: react('i-a') });
  };
const launchCall = { service: 'ec2', operation: 'CreateFleet', isMutating: true, launch: { group: 'web', count: 1 } };

/** A write that ends at 110, by a function that decides on the group or not, and a launch. */
const slowWrite =
  ({ tookMs = 6_000, decides = true, launchSecond = 116, operation = 'PutItem' } = {}): Write =>
  (script) => {
    const write = { invocation: 'i-b', function: 'react', service: 'dynamodb', operation, isMutating: operation === 'PutItem', outcome: 'ok' };
    script.react(103, 130, 'i-b', [], true);
    called(110, { ...write, askedAtMs: 110_000 - tookMs })(script);
    if (decides) script.desired(110, 2, 1, react('i-b'));
    script.launch(launchSecond, 'i-3', { by: react('i-b') });
  };

const looks: Readonly<Record<string, Cases>> = {
  'deregistration delays could not be read': {
    needed: earlyDrain(called(120, { trouble: 'fault' })),
    beyond: {
      'it was read well': earlyDrain(called(120, { outcome: 'ok' })),
      'the fault came before the warning': earlyDrain(called(90, { trouble: 'fault' })),
      'another service met the fault': earlyDrain(called(120, { trouble: 'fault', service: 'ec2' })),
    },
  },
  'the request met a fault': {
    needed: unasked(called(103, { ...launchCall, trouble: 'fault' })),
    also: {
      'a fault held up a read of the function that launched': unasked(slowLook(104)),
      'a fault still holds up the function that received another warning': unasked(otherSlow(125)),
    },
    beyond: {
      'the read was fast': unasked(slowLook(109)),
      'no fault met the function that read': unasked(slowLook(104, { injected: false })),
      'the function that read slowly launched nothing': unasked(slowLook(104, { launches: 'i-9' })),
      'the function that received another warning has read': unasked(otherSlow(105)),
      'no fault met the function that received another warning': unasked(otherSlow(125, { injected: false })),
      'more members are missing than it received warnings of': unasked(otherSlow(125, { replacements: [] })),
      'no fault met it': unasked(called(103, { ...launchCall, outcome: 'ok' })),
      'it was another group’s': unasked(called(103, { ...launchCall, trouble: 'fault', launch: { group: 'api', count: 1 } })),
      'it came too late': unasked(called(140, { ...launchCall, trouble: 'fault' })),
    },
  },
  'writes of the decision were slow': {
    needed: unasked(slowWrite()),
    beyond: {
      'the writes took less time': unasked(slowWrite({ tookMs: 1_000 })),
      'the write was fast': unasked(slowWrite({ tookMs: 400, launchSecond: 111.3 })),
      'the request came later still': unasked(slowWrite({ launchSecond: 122 })),
      'its function did not decide on the group': unasked(slowWrite({ decides: false })),
      'it was a read': unasked(slowWrite({ operation: 'Query' })),
    },
  },
};

const died =
  (second: number, isDead = true): Write =>
  (script) => {
    script.at(second, { kind: 'invocation-began', invocation: 'i-x', function: 'holdfast-react' });
    called(second, { ...launchCall, invocation: 'i-x', outcome: 'ok' })(script);
    const error = isDead ? { error: { type: 'Runtime.ExitError', message: 'killed' }, injected: true } : { injected: false };
    const end = { invocation: 'i-x', function: 'holdfast-react', startedAtMs: 1_000 * second, timeoutMs: 30_000, again: [] };
    script.at(second + 1, { kind: 'invocation-ended', ...end, ...error });
  };

const reserved =
  (second: number, reservation?: string, isDead = true, leasedUntil?: number): Write =>
  (script) => {
    script.at(second - 1, { kind: 'invocation-began', invocation: 'i-x', function: 'react' });
    script.desired(second, 2, 1, react('i-x'), reservation, leasedUntil);
    const error = isDead ? { error: { type: 'Runtime.ExitError', message: 'killed' }, injected: true } : { injected: false };
    const end = { invocation: 'i-x', function: 'react', startedAtMs: 1_000 * (second - 1), timeoutMs: 30_000, again: [] };
    script.at(second + 0.1, { kind: 'invocation-ended', ...end, ...error });
  };

/** A reservation of long ago, whose repeat writes this lease. */
const repeated =
  (isDead: boolean, leasedUntil: number): Write =>
  (script) => {
    script.desired(55, 2, 1, react('i-w'), 'r-9', 90);
    reserved(99, 'r-9', isDead, leasedUntil)(script);
  };

/** The group is let go after its member was warned, and comes back at 118. A function receives its policy at 140. */
const backAt140 = (write: Write): Write =>
  unasked((script) => {
    script.letGo(105);
    script.policy(118, 2);
    write(script);
    script.react(140, 141, 'i-p', [{ about: 'policy', group: 'web' }]);
  });

const leases: Readonly<Record<string, Cases>> = {
  'a launch waits for a function that died': {
    needed: unasked(died(99)),
    also: {
      'it had reserved, and not called yet': unasked(reserved(99, 'r-9')),
      'it was about to repeat a launch': unasked(repeated(true, 134)),
      'it reserved while the function ran that received the message': unasked(reserved(102, 'r-9')),
      'it launched soon before a function received the policy of a group that was let go': backAt140(died(131)),
    },
    beyond: {
      'it lived': unasked(died(99, false)),
      'it lived, and the group was let go': backAt140(died(131, false)),
      'it launched long before a function received the policy of a group that was let go': backAt140(died(122)),
      'it reserved after the function had ended that received the message': unasked(reserved(104, 'r-9')),
      'it reserved while that function ran, and lived': unasked(reserved(102, 'r-9', false)),
      'its request was to be repeated already': unasked(died(84)),
      'it wrote the state and reserved nothing': unasked(reserved(99)),
      'it had reserved, and lived': unasked(reserved(99, 'r-9', false)),
      'it was about to repeat a launch, and lived': unasked(repeated(false, 134)),
      'it left the lease of a reservation as it was': unasked(repeated(true, 90)),
    },
  },
};

const hooked =
  ({ waitsAt = 100, over = 160, write = () => undefined }: { readonly waitsAt?: number; readonly over?: number; readonly write?: Write }): Write =>
  (script) => {
    script.policy(0, 1, { ...policy, asg: 'web-asg' });
    script.member('i-1', { asg: 'web-asg' });
    write(script);
    script.at(waitsAt, { kind: 'hook-waits', instance: 'i-1', asg: 'web-asg', hook: 'drain', expiresAtMs: 1_000 * over });
    script.at(over, {
      kind: 'hook-over',
      instance: 'i-1',
      asg: 'web-asg',
      hook: 'drain',
      how: 'expired',
      result: 'CONTINUE',
      by: { kind: 'asg', asg: 'web-asg', why: 'hook' } as never,
    });
  };
const hookHeard =
  (from: number, hook?: string): Write =>
  (script) =>
    script.react(from, from + 2, 'i-h', [{ about: 'hook', instance: 'i-1', ...(hook !== undefined && { hook }) }]);

/** A look finds the hook, and writes its swap. */
const hookFound =
  (atSecond: number, hook = 'drain', injected = false): Write =>
  (script) => {
    script.react(atSecond - 1, atSecond + 1, `i-f${atSecond}`, [], injected);
    script.at(atSecond, {
      ...{ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by: react(`i-f${atSecond}`) },
      swap: { reason: 'hook', state: 'leaving', facts: { offering: 't/z-a/spot', hooks: [hook] } },
    });
  };

const hooks: Readonly<Record<string, Cases>> = {
  'the hook was received too late': {
    needed: hooked({
      write: (script) => {
        hookHeard(102, 'another')(script);
        hookFound(120, 'another')(script);
        hookFound(130, 'drain', true)(script);
        script.react(131, 133, 'i-t', [{ about: 'tick', groups: ['web'] }], true);
        hookHeard(150, 'drain')(script);
        hookFound(151)(script);
      },
    }),
    beyond: {
      'a look found it twenty seconds before': hooked({ write: hookFound(140) }),
      'a tick came twenty seconds before': hooked({
        write: (script) => script.react(139, 141, 'i-t', [{ about: 'tick', groups: ['web'] }]),
      }),
      'it was received twenty seconds before': hooked({ write: hookHeard(140) }),
      'it was received twenty seconds before, by its name': hooked({ write: hookHeard(140, 'drain') }),
    },
  },
};

const swapOf = (instance: string) => ({
  group: 'web',
  instance,
  reason: 'interruption',
  state: 'gone',
  decision: 'd',
  claimedAtMs: 102_000,
  shortfall: { code: 'ended-before-drain' },
});
/** A swap without an event, claimed by a function that ended so. */
export const storedSwap = swapOf('i-1');

const claimed =
  (write: Write): Write =>
  (script) => {
    twoServe(script);
    script.at(0, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 1 } });
    script.claim(102, 'i-1', 'i-a');
    script.claim(102, 'i-2', 'i-b');
    script.at(103, { kind: 'announced', detailType: 'Holdfast Swap Started', detail: { group: 'web', instances: ['i-2'] } });
    write(script);
  };

/** Web was refused capacity at 102 s, is short, and says nothing; so many calls of CreateFleet came just before, and so many follow. */
const refusedInLine =
  (before: number, after: number, again: number | undefined): Write =>
  (script) => {
    twoServe(script);
    script.at(1, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 1 } });
    script.end(90, 'i-1');
    const fleet = { function: 'holdfast-react', service: 'ec2', operation: 'CreateFleet', outcome: 'ok', applied: true, isMutating: true };
    const launch = (group: string) => ({ ...fleet, invocation: 'i-other', launch: { group, count: 2 } });
    for (let n = 0; n < before; n++) called(101, { ...launch(`before-${n}`), invocation: 'i-a' })(script);
    script.react(100, 104, 'i-a');
    script.refuseCapacity(102, 'i-a');
    for (let n = 0; n < after; n++) called(106, launch(`after-${n}`))(script);
    if (again !== undefined) called(again, launch('web'))(script);
  };

/** So many instances of others are launched a second before web is refused capacity, and so many after it. Web requests more a little later. */
const refusedWhileLaunching =
  (before: number, after: number): Write =>
  (script) => {
    refusedInLine(0, 0, 115)(script);
    for (let n = 0; n < before; n++) script.launch(101, `i-before-${n}`, { group: 'api' });
    for (let n = 0; n < after; n++) script.launch(106, `i-after-${n}`, { group: 'api' });
  };

const told: Readonly<Record<string, Cases>> = {
  'a group waits for its turn at the account’s bucket': {
    needed: refusedInLine(50, 20, 115),
    also: { 'the account had launched a thousand instances': refusedWhileLaunching(999, 20) },
    beyond: {
      'the account could launch all that followed': refusedWhileLaunching(900, 20),
      'the bucket had enough for all who called': refusedInLine(20, 20, 115),
      'nobody else called': refusedInLine(50, 0, 115),
      'it requested nothing more within 30 seconds': refusedInLine(50, 20, 133),
      'it requested nothing more': refusedInLine(50, 20, undefined),
    },
  },
  'a fault met the function that had to send the event': {
    needed: claimed((script) => {
      script.react(101, 104, 'i-a', [], true);
      called(103, { service: 'events', operation: 'PutEvents', isMutating: true, trouble: 'fault' })(script);
    }),
    beyond: {
      'the fault did not concern what it wrote': claimed((script) => script.react(101, 104, 'i-a', [], true)),
      'a later call to the bus succeeded': claimed((script) => {
        script.react(101, 104, 'i-a', [], true);
        const put = { service: 'events', operation: 'PutEvents', isMutating: true };
        called(103, { ...put, trouble: 'fault' })(script);
        called(104, { ...put, outcome: 'ok', applied: true })(script);
      }),
      'the fault met a launch': claimed((script) => {
        script.react(101, 104, 'i-a', [], true);
        called(103, { service: 'ec2', operation: 'CreateFleet', isMutating: true, trouble: 'fault' })(script);
      }),
      'it died long after the claim': claimed((script) => {
        const own = { invocation: 'i-a', function: 'holdfast-react' };
        script.at(101, { kind: 'invocation-began', ...own });
        script.at(125, {
          kind: 'invocation-ended',
          ...own,
          startedAtMs: 101_000,
          timeoutMs: 30_000,
          again: [],
          injected: true,
          error: { type: 'Error', message: 'crashed' },
        });
      }),
      'another function met the fault': claimed((script) => {
        script.react(101, 104, 'i-a');
        script.react(101, 104, 'i-b', [], true);
      }),
    },
  },
};

const drain =
  (second: number, status: 'started' | 'aborted' | 'failed'): Write =>
  (script) =>
    script.at(second, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-1'], status });
const stopped =
  (second: number): Write =>
  (script) =>
    script.at(second, { kind: 'step', step: 'drains-stopped', instances: [], groups: ['web'], asgs: [] });
const all =
  (...writes: readonly Write[]): Write =>
  (script) => {
    for (const write of writes) write(script);
  };

const noRoom = (second: number, more: Readonly<Record<string, unknown>> = {}): Write =>
  unasked(called(second, { ...launchCall, trouble: 'fault', outcome: 'MaxFleetCountExceeded', ...more }));
const callInProgress = (second: number, more: Readonly<Record<string, unknown>> = {}): Write =>
  called(second, { ...launchCall, trouble: 'fault', outcome: 'IdempotentCallInProgress', ...more });
const inProgress = (second: number, more: Readonly<Record<string, unknown>> = {}): Write => unasked(callInProgress(second, more));

/** The Auto Scaling group wants nobody, so it launches nobody by itself. */
export const idleAsg: WorldSpec = { ...spec, autoScalingGroups: spec.autoScalingGroups.map((one) => ({ ...one, min: 0, desired: 0 })) };
/** A look is throttled while a member is missing, and a launch follows. Its pool is an Auto Scaling group. */
export const tokensTaken = ({ throttled = 105, trouble = 'bucket', launched = 125, asg = 'web-asg', service = 'autoscaling' } = {}): Write =>
  unasked((script) => {
    script.policy(90, 2, { ...policy, pools: { ...policy.pools, 'asg-b': { market: 'on-demand', asg: 'web-asg' } } });
    called(throttled, { service, operation: 'DescribeAutoScalingGroups', trouble })(script);
    called(launched, { service, operation: 'LaunchInstances', outcome: 'ok', isMutating: true, launch: { asg, count: 1 } })(script);
  });

/** A look reads two pages of Auto Scaling groups, and the second one so many seconds after the first. */
const pagesApart = (seconds: number, between: Write = () => undefined, launched = 125): Write =>
  unasked((script) => {
    const page = { service: 'autoscaling', operation: 'DescribeAutoScalingGroups', outcome: 'ok', invocation: 'i-look' };
    script.policy(90, 2, { ...policy, pools: { ...policy.pools, 'asg-b': { market: 'on-demand', asg: 'web-asg' } } });
    called(103, page)(script);
    between(script);
    called(103 + seconds, page)(script);
    const launch = { asg: 'web-asg', count: 1 };
    called(launched, { service: 'autoscaling', operation: 'LaunchInstances', outcome: 'ok', isMutating: true, launch })(script);
  });

const asked = (token: string) => ({ launch: { group: 'web', count: 1, token } });
/** Another member is warned too. */
const twoMissing = (...calls: readonly Write[]): Write =>
  all(unasked(all(...calls)), (script) => {
    script.warn(100, 'i-2');
    script.react(101, 103, 'i-b', heard('i-2'));
    script.end(220, 'i-2');
  });

const waits: Readonly<Record<string, Cases>> = {
  'the account has no room for another fleet': {
    needed: noRoom(60),
    beyond: {
      'its minute was over': noRoom(40),
      'it was another group’s': noRoom(60, { launch: { group: 'api', count: 1 } }),
      'it was a throttle': noRoom(60, { outcome: 'RequestLimitExceeded' }),
      'a later call succeeded': all(noRoom(60), called(80, { ...launchCall, outcome: 'ok' })),
    },
  },
  'short pages take the account’s tokens': {
    needed: tokensTaken(),
    spec: { ...idleAsg, longestPage: 1 },
    also: {
      'a further page waited for its token': pagesApart(3),
      'it waited, and its function took tokens meanwhile': pagesApart(
        3,
        called(104, { service: 'dynamodb', operation: 'UpdateItem', outcome: 'ok', invocation: 'i-look' }),
      ),
    },
    beyond: {
      'a further page came at once': pagesApart(0.9),
      'its function read something else meanwhile': pagesApart(
        3,
        called(104, { service: 'ec2', operation: 'DescribeInstances', outcome: 'ok', invocation: 'i-look' }),
      ),
      'a page waited, and no launch followed for half a minute': pagesApart(3, undefined, 137),
      'the account had tokens left': tokensTaken({ trouble: 'fault' }),
      'the bucket of another service was empty': tokensTaken({ service: 'ec2' }),
      'it was before the warning was received': tokensTaken({ throttled: 100 }),
      'it was only later': tokensTaken({ throttled: 150, launched: 155 }),
      'no launch followed for half a minute': tokensTaken({ launched: 136 }),
      'the launch was another group’s': tokensTaken({ asg: 'api-asg' }),
    },
  },
  'a request without a response is repeated later': {
    needed: inProgress(80),
    also: {
      'its response was lost': inProgress(80, { outcome: 'lost' }),
      'AWS answered with a server error': inProgress(80, { outcome: 'ServiceUnavailable' }),
      'two requests are repeated at different times': twoMissing(callInProgress(80, asked('one')), callInProgress(90, asked('two'))),
    },
    beyond: {
      'a tick has come since': inProgress(40),
      'it was another group’s': inProgress(80, { launch: { group: 'api', count: 1 } }),
      'it was throttled': inProgress(80, { outcome: 'RequestLimitExceeded' }),
      'it was wrong': inProgress(80, { outcome: 'InvalidParameterValue' }),
      'a tick has come since a server error': inProgress(40, { outcome: 'ServiceUnavailable' }),
      'it requested fewer than are missing': twoMissing(callInProgress(80)),
      'it was the same request twice': twoMissing(callInProgress(80, asked('one')), callInProgress(90, asked('one'))),
      'one of the two was repeated long ago': twoMissing(callInProgress(40, asked('one')), callInProgress(90, asked('two'))),
      'one of the two succeeded': twoMissing(
        callInProgress(80, asked('one')),
        callInProgress(85, asked('two')),
        called(90, { ...launchCall, ...asked('two'), outcome: 'ok' }),
      ),
      'a later call succeeded': all(inProgress(80), called(90, { ...launchCall, invocation: 'i-z', outcome: 'ok' })),
    },
  },
};

const stops: Readonly<Record<string, Cases>> = {
  'a user stopped the drain': {
    needed: all(twoServe, drain(100, 'started'), stopped(110), drain(110, 'aborted')),
    beyond: {
      'nobody stopped any': all(twoServe, drain(100, 'started'), drain(110, 'aborted')),
      'it failed': all(twoServe, drain(100, 'started'), stopped(110), drain(110, 'failed')),
      'drains were stopped a minute before': all(twoServe, drain(100, 'started'), stopped(50), drain(110, 'aborted')),
    },
  },
};

/** One of two dies at 100, and is not made up for until long after. */
const short = (write: Write): Write =>
  all(
    twoServe,
    (script) => script.end(100, 'i-1'),
    write,
    (script) => script.launch(400, 'i-9'),
    (script) => script.serves(430, 'i-9'),
  );

const refill: Actor = { kind: 'asg', asg: 'web-asg', why: 'size' };
const refillTags = { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a' };
const itself: Actor = { kind: 'script' };

/** A spare is missing from the start, and serves at 430. What comes before it was launched at this second, and ended at that one. */
const spareAfter = (
  launchedS: number,
  endedS: number,
  { by = refill, ended = itself }: { by?: Actor; ended?: Actor } = {},
  more: Write = () => undefined,
): Write =>
  all(
    (script) => script.policy(0, 1, { ...policy, spare: 1 }),
    (script) => script.desired(0, 2),
    (script) => script.member('i-1', { pool: 'spot-a' }),
    (script) => script.member('i-2', { pool: 'spot-b' }),
    (script) => script.launch(launchedS, 'i-3', { pool: 'spot-a', by, tags: refillTags }),
    more,
    (script) => script.end(endedS, 'i-3', ended),
    (script) => script.launch(400, 'i-9', { pool: 'spot-a' }),
    (script) => script.serves(430, 'i-9'),
  );

/** Out of service from 100 to 500. It does not respond until this second. */
const putBack = (answersS: number, by: Actor): Write =>
  all(
    twoServe,
    (script) => script.takeOut(100, 'i-1', by),
    (script) => script.at(100, { kind: 'answering', instance: 'i-1', isOn: false }),
    (script) => script.at(answersS, { kind: 'answering', instance: 'i-1', isOn: true }),
    (script) => script.at(500, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' }),
  );

/**
 * What an Auto Scaling group launches by itself every 30 seconds, the first time at 110, lives for ten seconds. After the last of so many comes one that serves.
 */
const refillsDie =
  (count: number, apartS = 30): Write =>
  (script) => {
    for (let index = 0; index < count; index++) {
      const [instance, atS] = [`i-r${index}`, 110 + apartS * index];
      script.launch(atS, instance, { by: refill, tags: refillTags });
      script.at(atS + 10, { kind: 'ending', instance, by: itself, code: 'Client.InternalError' }, { kind: 'ended', instance, state: 'terminated' });
    }
    const lastS = 110 + apartS * count;
    script.launch(lastS, 'i-9');
    script.serves(lastS + 30, 'i-9');
  };

/** The same after a member ended at 100. */
const refillsDying = (count: number, more: Write = () => undefined, apartS = 30): Write =>
  all(twoServe, (script) => script.end(100, 'i-1'), more, refillsDie(count, apartS));

/** The same for a spare that is missing from the start. */
const sparesDying = (count: number): Write => all(twoServe, (script) => script.policy(2, 2, { ...policy, spare: 1 }), refillsDie(count));

const serving: Readonly<Record<string, Cases>> = {
  'a new member died on its way up': {
    needed: short((script) => {
      script.launch(110, 'i-3');
      script.end(300, 'i-3', { kind: 'script' });
    }),
    also: {
      'EC2 warned about it, and Holdfast ended it': short((script) => {
        script.launch(110, 'i-3');
        script.warn(299, 'i-3');
        script.end(300, 'i-3', react('i-a'));
      }),
      'its Auto Scaling group launched it by itself, and such launches ended for a short time': refillsDying(7),
      'such launches ended for long, and a user wrote the policy meanwhile': refillsDying(20, (script) => script.policy(400, 2, policy)),
      'such launches ended, and for more than 90 seconds after each of them nothing was launched': refillsDying(5, undefined, 105),
    },
    beyond: {
      'what its Auto Scaling group launches by itself ends again and again': refillsDying(20),
      'the same, and a minute passes between an end and the next launch': refillsDying(8, undefined, 70),
      'EC2 warned about it long before, and Holdfast ended it': short((script) => {
        script.launch(101, 'i-3');
        script.warn(105, 'i-3');
        script.end(300, 'i-3', react('i-a'));
      }),
      'it served before': short((script) => {
        script.launch(110, 'i-3');
        script.serves(140, 'i-3');
        script.end(141, 'i-3', { kind: 'script' });
      }),
      'Holdfast ended it itself': short((script) => {
        script.launch(110, 'i-3');
        script.end(300, 'i-3', react('i-a'));
      }),
      'it died long before': short((script) => {
        script.launch(102, 'i-3');
        script.end(110, 'i-3', { kind: 'script' });
      }),
      'it had booted, and no target group sends requests': (script) => {
        script.policy(0, 1, { ...policy, drain: { timeout: '30s' } });
        script.desired(0, 2);
        for (const instance of ['i-1', 'i-2']) {
          script.launch(1, instance);
          script.at(30, { kind: 'running', instance }, { kind: 'booted', instance });
        }
        script.end(100, 'i-1');
        script.end(300, 'i-2');
        for (const instance of ['i-8', 'i-9']) {
          script.launch(400, instance);
          script.at(430, { kind: 'running', instance }, { kind: 'booted', instance });
        }
      },
    },
  },
  'what an Auto Scaling group launches by itself dies on its way up': {
    needed: spareAfter(290, 300),
    also: { 'such launches ended one after the other for a short time': sparesDying(8) },
    beyond: {
      'what the group launches by itself ends again and again': sparesDying(20),
      'Holdfast launched it': spareAfter(290, 300, { by: react('i-a') }),
      'Holdfast ended it': spareAfter(290, 300, { ended: react('i-a') }),
      'it served before': spareAfter(100, 110, {}, (script) => {
        script.policy(2, 2, { ...policy, spare: 2 });
        script.member('i-4', { pool: 'spot-a', by: refill, tags: refillTags });
        script.end(300, 'i-4', itself);
      }),
      'it died long before': spareAfter(100, 110),
    },
  },
  'a member fails its health checks and lives': {
    needed: all(
      twoServe,
      // The one that comes in the place of i-2 runs and never answers.
      (script) => script.end(100, 'i-2'),
      (script) => script.launch(110, 'i-3'),
      (script) => script.at(120, { kind: 'running', instance: 'i-3' }),
      (script) => script.at(100, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'unhealthy', by: { kind: 'script' } }),
      (script) => script.at(500, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' }),
    ),
    also: { 'its user put it back, and it responds since a moment ago': putBack(499, user) },
    beyond: {
      'its user put it back, and it responded long before': putBack(400, user),
      'Holdfast put it back': putBack(499, react('i-a')),
      'its user took it out': all(
        twoServe,
        (script) => script.takeOut(100, 'i-1', user),
        (script) => script.at(500, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' }),
      ),
      'the one that does not answer came up only just now': all(
        twoServe,
        (script) => script.end(100, 'i-1'),
        (script) => script.launch(290, 'i-3'),
        (script) => script.serves(310, 'i-3'),
      ),
      'another one is missing as well': all(
        twoServe,
        (script) => script.end(100, 'i-2'),
        (script) => script.at(100, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'unhealthy', by: { kind: 'script' } }),
        (script) => script.at(500, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' }),
      ),
    },
  },
};

/** Two serve, so many spares are wanted, and one is launched at 70 s that runs and never responds. */
const spareFails =
  (spare: number, ...more: readonly Write[]): Write =>
  (script) => {
    script.policy(0, 1, { ...policy, spare });
    script.desired(0, 2);
    script.member('i-1');
    script.member('i-2');
    script.launch(70, 'i-3');
    script.at(80, { kind: 'running', instance: 'i-3' });
    for (const write of more) write(script);
  };

/** A spare never serves, leaves at 340 s, perhaps because it was given up, and ends at 345 s. Another one serves later. */
const spareLeaves =
  (spare: number, reason: 'never-served' | 'scale-in', servesAt: number): Write =>
  (script) => {
    script.policy(0, 1, { ...policy, spare, ready: { within: '5m' } });
    script.desired(0, 2);
    script.member('i-1');
    script.member('i-2');
    script.launch(15, 'i-3');
    script.at(25, { kind: 'running', instance: 'i-3' });
    script.react(339, 342, 'i-a');
    script.claim(340, 'i-3', 'i-a', 'leaving', reason);
    script.end(345, 'i-3', react('i-a'));
    script.launch(servesAt - 20, 'i-4');
    script.serves(servesAt, 'i-4');
  };

const spares: Readonly<Record<string, Cases>> = {
  'a member fails its health checks and lives, where spares are wanted': {
    needed: spareFails(1),
    also: { 'it was given up a moment ago': spareLeaves(1, 'never-served', 515) },
    beyond: {
      'two are wanted, and one fails': spareFails(2),
      'the one that fails has ended': spareFails(1, (script) => script.end(90, 'i-3')),
      'it was given up so long ago that its replacement is late': spareLeaves(1, 'never-served', 525),
      'it left as a surplus': spareLeaves(1, 'scale-in', 515),
      'two are wanted, and one was given up': spareLeaves(2, 'never-served', 515),
    },
  },
};

const joins =
  (hook: 'hook-put' | 'hook-removed', second: number): Write =>
  (script) => {
    script.policy(0, 1, { ...policy, asg: 'web-asg' });
    script.desired(0, 1);
    script.member('i-1', { asg: 'web-asg' });
    script.at(second, { kind: 'step', step: hook, instances: [], groups: [], asgs: ['web-asg'] });
    script.end(100, 'i-1');
    script.launch(110, 'i-3');
    script.at(120, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: react('i-a') });
    script.at(500, { kind: 'in-service', instance: 'i-3', targetGroup: 'web' });
  };

const held: Readonly<Record<string, Cases>> = {
  'a hook of its user holds new members back': {
    needed: joins('hook-put', 90),
    beyond: { 'the hook was only removed': joins('hook-removed', 90), 'it was put after the new member had joined': joins('hook-put', 300) },
  },
};

const restored = (second: number): Write =>
  all(
    twoServe,
    (script) => script.launch(100, 'i-3', { by: react('i-a') }),
    (script) => script.at(second, { kind: 'state-written', group: 'web', version: 1, policyVersion: 1, desired: 2, bytes: 1, by: user }),
  );

const restore =
  (second: number): Write =>
  (script) =>
    script.at(second, { kind: 'state-written', group: 'web', version: 1, policyVersion: 1, desired: 2, bytes: 1, by: user });

/** Warned at 100 while the group has no policy, which is back at 120; nothing is requested. */
const forgottenWithoutPolicy =
  (write: Write, { letGo = true } = {}): Write =>
  (script) => {
    twoServe(script);
    if (letGo) script.letGo(80);
    script.warn(100, 'i-1');
    script.react(101, 103, 'i-a', heard('i-1'));
    write(script);
    script.policy(120, 2);
    script.react(121, 123, 'i-b', [{ about: 'policy', group: 'web' }]);
    script.end(220, 'i-1');
  };

/** Warned, taken out of service at 130, and gone at 220. */
const forgotten = (second: number): Write =>
  all(
    neverOut((script) => script.takeOut(130, 'i-1')),
    restore(second),
  );

/** Warned, and ended at 130 through its Auto Scaling group, without having served in a target group. */
const endedThroughAsg = (second: number): Write =>
  all(
    (script) => script.policy(0, 1, { ...policy, asg: 'web-asg' }),
    (script) => script.launch(20, 'i-1', { asg: 'web-asg' }),
    (script) => script.warn(100, 'i-1'),
    (script) => script.at(130, { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: react('drain') }),
    (script) => script.end(140, 'i-1', react('drain')),
    restore(second),
  );

/** A drain from 110 to 140 that tells nothing of its end. */
const untold = (second: number): Write =>
  all(
    twoServe,
    (script) => script.at(0, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 1 } }),
    (script) => script.at(0, { kind: 'announced', detailType: 'Holdfast Swap Started', detail: { group: 'web', instances: ['i-1'] } }),
    (script) =>
      script.at(102, {
        kind: 'item-written',
        table: 'state',
        group: 'web',
        item: 'swap#i-1',
        bytes: 500,
        by: react('i-a'),
        swap: { reason: 'interruption', state: 'leaving', drain: 'd-1' },
      }),
    (script) => script.at(110, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-1'], status: 'started' }),
    (script) => script.at(140, { kind: 'drain', drain: 'd-1', group: 'web', instances: ['i-1'], status: 'succeeded' }),
    restore(second),
  );

/** Its drain ended at 140, which was told without a shortfall, and its swap ends with one. */
const endTold = (second: number): Write =>
  all(
    untold(second),
    (script) => script.end(135, 'i-1'),
    (script) =>
      script.at(140, {
        kind: 'announced',
        detailType: 'Holdfast Drain Finished',
        detail: { group: 'web', drain: 'd-1', part: 1, parts: 1, counts: { drained: 0, gone: 1 }, drained: [], gone: ['i-1'], shortfalls: [] },
      }),
  );

const emptied = (step: number, second: number): Write =>
  all(
    twoServe,
    (script) => script.launch(100, 'i-3', { by: react('i-a') }),
    (script) => script.at(step, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [] }),
    (script) => script.at(second, { kind: 'state-deleted', group: 'web', by: user }),
  );

/** Taken out of service at 130. It serves again 30 seconds before each of these times, and is taken out again. */
const outAgain = (restoredSecond: number, ...seconds: readonly number[]): Write =>
  all(
    twoServe,
    (script) => script.takeOut(130, 'i-1'),
    restore(restoredSecond),
    ...seconds.flatMap((second): readonly Write[] => [(script) => script.serves(second - 30, 'i-1'), (script) => script.takeOut(second, 'i-1')]),
  );

const restores: Readonly<Record<string, Cases>> = {
  'the state table was restored after a member was taken out of service': {
    needed: outAgain(150, 200),
    beyond: {
      'it was restored before the member was taken out of service': outAgain(120, 200),
      'it was restored after the member was taken out of service again': outAgain(210, 200),
      'the member was taken out of service twice since then': outAgain(150, 200, 300),
    },
  },
  'the state table was restored after a drain had begun': {
    needed: forgotten(150),
    also: { 'its Auto Scaling group ended it, and it served in no target group': endedThroughAsg(150) },
    beyond: {
      'it was restored before the member was taken out of service': forgotten(120),
      'it was restored before its Auto Scaling group ended it': endedThroughAsg(120),
    },
  },
  'the state table was restored after a warning was heard': {
    needed: neverOut(all((script) => script.react(101, 103, 'i-a', heard('i-1')), restore(110))),
    beyond: {
      'it was restored before': neverOut(all((script) => script.react(101, 103, 'i-a', heard('i-1')), restore(90))),
      'the warning was heard again': neverOut(
        all(
          (script) => script.react(101, 103, 'i-a', heard('i-1')),
          restore(110),
          (script) => script.react(140, 143, 'i-b', heard('i-1')),
        ),
      ),
    },
  },
  'the state table was restored after a warning was heard, while the group had no policy': {
    needed: forgottenWithoutPolicy(restore(110)),
    beyond: {
      'it was restored before the warning': forgottenWithoutPolicy(restore(90)),
      'it was restored after the policy was back': forgottenWithoutPolicy(restore(140)),
      'the group had its policy when the warning was heard': forgottenWithoutPolicy(restore(110), { letGo: false }),
      'the warning was heard again': forgottenWithoutPolicy(all(restore(110), (script) => script.react(115, 116, 'i-c', heard('i-1')))),
      'more are missing': forgottenWithoutPolicy(all(restore(110), (script) => script.end(118, 'i-2', user))),
    },
  },
  'the state table was restored while a drain ran': {
    needed: untold(120),
    beyond: { 'it was restored before the drain began': untold(105), 'it was restored after its end': untold(150) },
  },
  'the state table was restored after the end of a drain was sent': {
    needed: endTold(150),
    beyond: { 'it was restored before that': endTold(130) },
  },
  'the state table was restored': {
    needed: restored(120),
    beyond: {
      'it was restored before the launch': restored(90),
      'it was emptied before the launch': emptied(90, 90),
      'the state item alone was deleted': emptied(90, 120),
    },
  },
};

/** Warned at 90, and refused a better place for another member at 102, in a look that ends at 104. */
const refusedWhile = (write: Write, others: Write = () => undefined): Write =>
  all(
    twoServe,
    others,
    (script) => script.warn(90, 'i-1'),
    write,
    (script) => script.react(100, 104, 'i-a', []),
    (script) => script.refuseCapacity(102, 'i-a'),
    (script) => script.at(0, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 1 } }),
  );

const unheard: Readonly<Record<string, Cases>> = {
  'nobody could know that the group is short': {
    needed: refusedWhile(() => undefined),
    beyond: {
      'a function received the warning': refusedWhile((script) => script.react(95, 97, 'i-b', heard('i-1'))),
      'another one ended': refusedWhile(
        () => undefined,
        (script) => script.end(80, 'i-2'),
      ),
      'it is gone': refusedWhile((script) => script.end(101, 'i-1')),
    },
  },
};

/** A breaker is told to be open from 100 to 160. A function writes the state then, and dies before it has sent anything. Two are launched on spot after it. */
const closedBy =
  (wroteSecond: number, injected = true, hasDied = true, lastCall?: Pick<Called, 'service' | 'operation'>): Write =>
  (script) => {
    script.policy(0, 1, { ...policy, breaker: { interruptions: 2, within: '5m', hold: '1m' } });
    script.desired(0, 4);
    for (const instance of ['i-1', 'i-2']) script.member(instance);
    const opened = { group: 'web', breaker: 'spot', why: 'interruptions', untilMs: 160_000 };
    script.at(100, { kind: 'announced', detailType: 'Holdfast Breaker Opened', detail: opened });
    const invocation = { invocation: 'i-c', function: 'react' };
    script.at(wroteSecond - 1, { kind: 'invocation-began', ...invocation });
    script.desired(wroteSecond, 4, 1, react('i-c'));
    if (lastCall !== undefined) {
      const askedAtMs = 1_000 * wroteSecond + 100;
      script.at(wroteSecond + 0.2, { kind: 'called', ...invocation, ...lastCall, askedAtMs, outcome: 'crashed', applied: false, isMutating: true });
    }
    const ended = {
      startedAtMs: 1_000 * (wroteSecond - 1),
      timeoutMs: 30_000,
      again: [],
      injected,
      ...(hasDied && { error: { type: 'Runtime.ExitError', message: 'exited' } }),
    };
    script.at(wroteSecond + 1, { kind: 'invocation-ended', ...invocation, ...ended });
    for (const second of [170, 270]) {
      script.react(second - 1, second + 2, `of-${second}`);
      script.launch(second, `i-${second}`, { pool: 'spot-b', by: react(`of-${second}`) });
    }
  };
/** Two serve with a spare. EC2 takes the spare, one warning opens a breaker, and the bus refuses the event of the function that received it. */
const openedBy =
  ({ outcome = 'ThrottlingException', wrote = 'i-a', interruptions = 1, isFault = true, lasts = {} } = {}): Write =>
  (script) => {
    script.policy(0, 1, { ...policy, size: 2, spare: 1, breaker: { interruptions, within: '5m', hold: '30m', ...lasts } });
    script.desired(0, 2);
    for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, { pool: 'spot-a' });
    script.warn(100, 'i-3');
    script.react(101, 103, 'i-a', heard('i-3'));
    script.desired(102, 2, 1, react(wrote));
    script.at(102.2, {
      ...{ kind: 'called', invocation: 'i-a', function: 'react', service: 'events', operation: 'PutEvents', askedAtMs: 102_100 },
      ...{ outcome, applied: outcome === 'ok', isMutating: true, ...(outcome !== 'ok' && isFault && { trouble: 'fault' as const }) },
    });
    script.end(220, 'i-3');
  };
const breakers: Readonly<Record<string, Cases>> = {
  'the event bus refused that a breaker is open': {
    needed: openedBy(),
    beyond: {
      'the event was sent': openedBy({ outcome: 'ok' }),
      'no fault refused it': openedBy({ isFault: false }),
      'another function wrote the state': openedBy({ wrote: 'i-b' }),
      'one warning opens no breaker': openedBy({ interruptions: 2 }),
      'the breaker is over': openedBy({ lasts: { within: '1m', hold: '1m' } }),
    },
  },
  'a fault met the function that had to send that a breaker is closed': {
    needed: closedBy(165, true, true, { service: 'events', operation: 'PutEvents' }),
    beyond: {
      'it died while the breaker was open': closedBy(150),
      'no fault was injected into it': closedBy(165, false),
      'it came to its end': closedBy(165, true, false),
      'it died after the launch': closedBy(280),
      'it had gone on to something else': closedBy(165, true, true, { service: 'ec2', operation: 'CreateFleet' }),
    },
  },
};

const tagged =
  (second: number, changes: Readonly<Record<string, string>> = {}): Write =>
  (script) =>
    script.at(second, {
      kind: 'tagged',
      instance: 'i-3',
      by: react('i-b'),
      tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a', 'holdfast:reservation': 'r-3', team: 'web', ...changes },
    });
const runs =
  (from: number, until: number, name = 'react'): Write =>
  (script) => {
    script.at(from, { kind: 'invocation-began', invocation: 'i-l', function: name });
    script.at(until, {
      ...{ kind: 'invocation-ended', invocation: 'i-l', function: name, startedAtMs: 1_000 * from, timeoutMs: 30_000, again: [], injected: false },
    });
  };
const tagging = {
  function: 'holdfast-react',
  service: 'ec2',
  operation: 'CreateTags',
  outcome: 'RequestLimitExceeded',
  isMutating: true,
  trouble: 'fault',
};
/** A function requests a launch of an Auto Scaling group and ends. */
const endsAfterLaunch =
  (
    second: number,
    { injected = true, isKilled = true, launch = { asg: 'web-asg' } as { readonly asg?: string; readonly pool?: string } } = {},
  ): Write =>
  (script) => {
    const call = { service: 'autoscaling', operation: 'LaunchInstances', outcome: 'ok', applied: true, isMutating: true } as const;
    script.at(second - 2, {
      ...{ kind: 'called', function: 'react', invocation: 'i-k', askedAtMs: 1_000 * (second - 3), ...call },
      launch: { group: 'web', count: 1, ...launch },
    });
    script.at(second, {
      ...{ kind: 'invocation-ended', invocation: 'i-k', function: 'react', startedAtMs: 1_000 * (second - 5), timeoutMs: 30_000 },
      ...{ again: [], injected },
      ...(isKilled && { error: { type: 'Runtime.ExitError', message: 'exited' } }),
    });
  };
/** An Auto Scaling group launches an instance for Holdfast at 100, without tags. */
const untagged =
  (...parts: readonly Write[]): Write =>
  (script) => {
    script.policy(0, 1, { ...policy, asg: 'web-asg' });
    script.desired(0, 1);
    script.at(100, {
      ...{ kind: 'launched', instance: 'i-3', instanceType: 't', zone: 'z-a', subnet: 'subnet-a', market: 'spot', priceUsdPerHour: 0.03 },
      ...{ tags: {}, by: react('i-a'), asg: 'web-asg' },
    });
    for (const part of parts) part(script);
  };
const tags: Readonly<Record<string, Cases>> = {
  'calls that tag, launch or describe met faults': {
    needed: untagged(called(150, tagging), tagged(205)),
    also: {
      'faults went on, with no minute between them': untagged(
        called(150, tagging),
        called(205, { ...tagging, operation: 'DescribeInstances' }),
        tagged(260),
      ),
      'the function was killed that had the response': untagged(endsAfterLaunch(150), tagged(205)),
      'the look that comes a minute after the fault takes longer': untagged(called(150, tagging), runs(209, 214), tagged(213)),
      'a fault met the look that came a minute after the one before': untagged(
        called(150, tagging),
        runs(209, 214),
        called(212, tagging),
        tagged(260),
      ),
      'that look waits for its batch': untagged(called(150, tagging), runs(211, 214), tagged(213)),
    },
    beyond: {
      'no fault killed the function': untagged(endsAfterLaunch(150, { injected: false }), tagged(205)),
      'the function came to its end': untagged(endsAfterLaunch(150, { isKilled: false }), tagged(205)),
      'the function had requested a launch of another group': untagged(endsAfterLaunch(150, { launch: { asg: 'api-asg' } }), tagged(205)),
      'the function had requested a launch of no group': untagged(endsAfterLaunch(150, { launch: { pool: 'spot-a' } }), tagged(205)),
      'it was tagged later than a minute after the function was killed': untagged(endsAfterLaunch(150), tagged(211)),
      'it was tagged later than a minute after the fault': untagged(called(150, tagging), tagged(211)),
      'it was tagged after the look that came then': untagged(called(150, tagging), runs(209, 212), tagged(213)),
      'the look came later than a minute after the fault': untagged(called(150, tagging), runs(211.1, 214), tagged(213)),
      'another function ran then': untagged(called(150, tagging), runs(209, 214, 'begin-drain'), tagged(213)),
      'a minute without a fault was between them': untagged(called(150, tagging), called(212, tagging), tagged(260)),
      'a fault came after the look that came then': untagged(called(150, tagging), runs(209, 211), called(212, tagging), tagged(260)),
      'the fault came after the minute': untagged(called(161, tagging), tagged(205)),
      'the fault came before the launch': untagged(called(99, tagging), tagged(205)),
      'a function met the fault that tags nobody': untagged(called(150, { ...tagging, function: 'holdfast-end-drain' }), tagged(205)),
      'no fault met the call': untagged(called(150, { ...tagging, trouble: undefined }), tagged(205)),
      'another service met the fault': untagged(called(150, { ...tagging, service: 'dynamodb' }), tagged(205)),
      'a tag of the policy is missing': untagged(called(150, tagging), tagged(205, { team: 'api' })),
    },
  },
};

const letGo =
  (second: number): Write =>
  (script) =>
    script.letGo(second);
const deletedBeforeNextLook: Cases = {
  needed: untagged(endsAfterLaunch(102), letGo(110)),
  beyond: {
    'the policy stayed': untagged(endsAfterLaunch(102)),
    'the policy was deleted later than a minute after the function was killed': untagged(endsAfterLaunch(102), letGo(163)),
    'the policy was deleted before the function was killed': untagged(endsAfterLaunch(112), letGo(110)),
    'no fault killed the function': untagged(endsAfterLaunch(102, { injected: false }), letGo(110)),
    'the function was killed before the launch': untagged(endsAfterLaunch(99), letGo(110)),
    'the function was killed later than a minute after the launch': untagged(endsAfterLaunch(161), letGo(170)),
    'the function had requested a launch of another group': untagged(endsAfterLaunch(102, { launch: { asg: 'api-asg' } }), letGo(110)),
    'it carries the tag of its reservation, and another of the policy is missing': untagged(
      endsAfterLaunch(102),
      letGo(110),
      tagged(120, { team: 'api' }),
    ),
  },
};

export const cases: Readonly<Record<string, Cases>> = {
  'a policy was deleted before its launch was tagged': deletedBeforeNextLook,
  'a policy was deleted before the outcome of its launch was stored': deletedBeforeNextLook,
  ...breakers,
  ...warned,
  ...drains,
  ...looks,
  ...waits,
  ...leases,
  ...hooks,
  ...told,
  ...stops,
  ...serving,
  ...spares,
  ...held,
  ...restores,
  ...unheard,
  ...tags,
};
