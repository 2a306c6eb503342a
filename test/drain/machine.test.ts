import { describe, expect, test } from 'vitest';
import { beginDrain } from '../../functions/begin-drain/begin-drain.ts';
import { checkDrain } from '../../functions/check-drain/check-drain.ts';
import { endDrain } from '../../functions/end-drain/end-drain.ts';
import { readDrainInput } from '../../functions/runtime/drain/order.ts';
import { createStateMachines } from '../../sandbox/platform/states/state-machines.ts';
import { createVirtualClock } from '../../sandbox/platform/virtual-clock.ts';
import { createRandom } from '../../sandbox/random.ts';
import { stubArn, synthesize } from './definition.ts';
import { createFleet, type Fleet, group, noonMs, order, swap } from './fleet.ts';

const { definition } = synthesize();
const arn = 'arn:aws:states:eu-west-1:123456789012:stateMachine:holdfast-drain';
const inMs = (seconds: number) => noonMs + seconds * 1000;

type Steps = Readonly<Record<string, (event: unknown) => Promise<unknown>>>;

/** The three functions over the fleet, as the state machine calls them. */
const stepsOf = (fleet: Fleet): Steps => ({
  [stubArn('begin')]: async (event) => {
    const { order: anOrder, known } = readDrainInput(event);
    return (await beginDrain(fleet.ports, anOrder, known)).step;
  },
  [stubArn('check')]: async (event) => (await checkDrain(fleet.ports, readDrainInput(event).order)).step,
  [stubArn('end')]: async (event) => {
    const { order: anOrder, error, failsSinceMs } = readDrainInput(event);
    return (await endDrain(fleet.ports, anOrder, error, { failsSinceMs })).step;
  },
});

/** Runs the synthesized definition in virtual time. */
const run = async (fleet: Fleet, anOrder: ReturnType<typeof order>, steps: Steps = stepsOf(fleet)) => {
  const clock = createVirtualClock(noonMs);
  const machines = createStateMachines({
    clock,
    random: createRandom(1),
    place: { accountId: '123456789012', region: 'eu-west-1' },
    transitionMs: 0,
    tasks: {
      invoke: async (name, payload) => {
        fleet.nowMs = clock.now();
        const event: unknown = JSON.parse(JSON.stringify(payload));
        try {
          const value = await clock.busy(steps[name]?.(event) ?? Promise.reject(new Error(`no function ${name}`)));
          return { kind: 'ok', value };
        } catch (error) {
          const { name: errorType, message: errorMessage } = error as Error;
          return { kind: 'error', errorType, errorMessage };
        }
      },
    },
  });
  machines.add({ name: 'holdfast-drain', arn, role: 'drain', roleArn: 'arn:aws:iam::123456789012:role/drain', definition });
  machines.start(arn, JSON.stringify(anOrder), anOrder.drain);
  await clock.run();
  const [execution] = machines.executions();
  if (!execution) throw new Error('nothing was started');
  const entered = execution.events.filter(({ type }) => type.endsWith('StateEntered'));
  return { execution, entered: entered.map((event) => (event.stateEnteredEventDetails as { name: string } | undefined)?.name) };
};

describe('the synthesized workflow, run', () => {
  const warned = { deadlineMs: inMs(120) };

  test('has every step of a drain in its history', async () => {
    const fleet = createFleet([swap('i-1', warned), swap('i-2', warned)], 60_000);
    const { execution, entered } = await run(fleet, order());
    expect(execution.status).toBe('SUCCEEDED');
    expect(entered).toEqual([
      ...['Begin drain', 'What next?', 'Wait for replacements'],
      ...['Begin drain', 'What next?', 'Wait for replacements'],
      ...['Begin drain', 'What next?', 'Wait for replacements'],
      ...['Begin drain', 'What next?', 'Wait for replacements'],
      ...['Begin drain', 'What next?', 'Wait for connections'],
      ...['Check drain', 'What next?', 'End drain', 'Is it over?', 'Ended'],
    ]);
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', drainStartedAtMs: inMs(57), drainedAtMs: inMs(118) });
    expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
  });

  test('every function gets the time at which its state was entered, and the number of attempts that failed', async () => {
    const fleet = createFleet([swap('i-1', warned)], 60_000);
    const called: [string, string, unknown][] = [];
    let failures = 1;
    const steps = Object.fromEntries(
      Object.entries(stepsOf(fleet)).map(([name, step]) => [
        name,
        (event: unknown) => {
          called.push([name, new Date(fleet.nowMs).toISOString(), (event as { readonly state: unknown }).state]);
          return name === stubArn('check') && failures-- > 0 ? Promise.reject(new Error('Rate exceeded')) : step(event);
        },
      ]),
    );
    expect((await run(fleet, order(), steps)).execution.status).toBe('SUCCEEDED');
    const [first, again] = called.filter(([name]) => name === stubArn('check'));
    expect(first?.[2]).toEqual({ Name: 'Check drain', EnteredTime: first?.[1], RetryCount: 0 });
    expect(again?.[2]).toEqual({ Name: 'Check drain', EnteredTime: first?.[1], RetryCount: 1 });
    for (const [name, atIso, state] of called.filter(([name]) => name !== stubArn('check')))
      expect({ name, state }).toMatchObject({ state: { EnteredTime: atIso, RetryCount: 0 } });
  });

  test('takes as few transitions for a thousand instances as for one', async () => {
    const transitions = async (count: number) => {
      const instances = Array.from({ length: count }, (_, index) => `i-${index}`);
      const fleet = createFleet(
        instances.map((instance) => swap(instance)),
        60_000,
      );
      return (await run(fleet, order())).entered.length;
    };
    expect(await transitions(1000)).toBe(await transitions(1));
  });

  test('a function that fails for a while is tried again, and the drain goes on', async () => {
    const fleet = createFleet([swap('i-1', { reason: 'rebalance' })], 30_000);
    const steps = stepsOf(fleet);
    let failures = 3;
    const flaky: Steps = {
      ...steps,
      [stubArn('check')]: (event) =>
        failures-- > 0 ? Promise.reject(new Error('Rate exceeded')) : (steps[stubArn('check')]?.(event) ?? Promise.reject()),
    };
    const { execution } = await run(fleet, order(), flaky);
    expect(execution.status).toBe('SUCCEEDED');
    expect([...fleet.ended]).toEqual(['i-1']);
    expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
  });

  /** How the calls of a function fail, one after another. The later ones do not. */
  const attemptsOf = async (step: 'begin' | 'end', troubles: readonly string[]) => {
    const fleet = createFleet([swap('i-1', { reason: 'rebalance' })], 0);
    const [steps, left] = [stepsOf(fleet), [...troubles]];
    const attempts: boolean[] = [];
    const calls: number[] = [];
    const name = stubArn(step);
    const crowded: Steps = {
      ...steps,
      [name]: (event) => {
        calls.push(fleet.nowMs);
        const trouble = left.shift();
        if (trouble !== undefined) return Promise.reject(Object.assign(new Error('Rate Exceeded.'), { name: trouble }));
        attempts.push(readDrainInput(event).isRepeat === true);
        return steps[name]?.(event) ?? Promise.reject();
      },
    };
    const { execution } = await run(fleet, order(), crowded);
    expect([execution.status, [...fleet.ended]]).toEqual(['SUCCEEDED', ['i-1']]);
    return { isRepeat: attempts[0], calls };
  };
  const noRoom = 'Lambda.TooManyRequestsException';

  test.each(['begin', 'end'] as const)('a call of %s for which Lambda had no room is no attempt, and hides none', async (step) => {
    expect((await attemptsOf(step, [noRoom, noRoom])).isRepeat).toBe(false);
    expect((await attemptsOf(step, ['Error', noRoom, noRoom])).isRepeat).toBe(true);
    expect((await attemptsOf(step, [noRoom, 'Error'])).isRepeat).toBe(true);
    expect((await attemptsOf(step, ['Lambda.ServiceException'])).isRepeat).toBe(true);
  });

  test('what is known of the attempts of one step says nothing about the next step', async () => {
    const fleet = createFleet([swap('i-1', { reason: 'rebalance' })], 0);
    const steps = stepsOf(fleet);
    const troubles = ['Error', noRoom];
    const inputs: unknown[] = [];
    const crowded: Steps = {
      ...steps,
      [stubArn('begin')]: (event) => {
        const trouble = troubles.shift();
        if (trouble !== undefined) return Promise.reject(Object.assign(new Error('Rate Exceeded.'), { name: trouble }));
        return steps[stubArn('begin')]?.(event) ?? Promise.reject();
      },
      [stubArn('end')]: (event) => {
        inputs.push(event);
        return steps[stubArn('end')]?.(event) ?? Promise.reject();
      },
    };
    await run(fleet, order(), crowded);
    expect(inputs).toHaveLength(1);
    for (const known of ['isRepeat', 'crowded']) expect(inputs[0]).not.toHaveProperty(known);
  });

  test('for as long as Lambda has no room a step is called again, at first after two seconds, and after ten at most', async () => {
    const { calls } = await attemptsOf(
      'begin',
      Array.from({ length: 1_100 }, () => noRoom),
    );
    const pauses = calls.slice(1, 1_101).map((atMs, index) => atMs - (calls[index] ?? 0));
    expect([Math.min(...pauses), Math.max(...pauses)]).toEqual([1_000, 10_000]);
    expect(pauses[0]).toBeLessThanOrEqual(2_000);
    expect(pauses[1]).toBeLessThanOrEqual(4_000);
  });

  test('a function that never succeeds ends the drain with its error', async () => {
    const fleet = createFleet([swap('i-1', { reason: 'rebalance' })], 30_000);
    const broken: Steps = {
      ...stepsOf(fleet),
      [stubArn('check')]: () => {
        fleet.provider.inspectDrain = () => Promise.reject(Object.assign(new Error('no rights to DescribeTargetHealth'), { name: 'AccessDenied' }));
        return fleet.provider.inspectDrain(group(), []);
      },
    };
    const { execution, entered } = await run(fleet, order(), broken);
    expect(entered.slice(-4)).toEqual(['Check drain', 'End drain', 'Is it over?', 'Ended']);
    expect(execution.status).toBe('SUCCEEDED');
    expect([...fleet.ended]).toEqual(['i-1']);
    expect(fleet.stateOf('i-1').shortfall).toEqual({ code: 'drain-broke', error: 'AccessDenied', cause: 'no rights to DescribeTargetHealth' });
  });

  test('instances that cannot be ended by any number of repeats fail the execution, by name', async () => {
    const fleet = createFleet([swap('i-1', { reason: 'rebalance' })], 0);
    fleet.failEnd.set('i-1', { code: 'RequestLimitExceeded', retry: 'later', times: 99 });
    const { execution, entered } = await run(fleet, order());
    expect(execution).toMatchObject({ status: 'FAILED', error: 'InstancesNotEnded' });
    expect(execution.cause).toContain('1 drained instances still run (RequestLimitExceeded)');
    expect(entered.at(-1)).toBe('Not ended');
    expect(fleet.stateOf('i-1').state).toBe('drained');
  });

  test('an end that is throttled for a while is repeated without an attempt that failed', async () => {
    const fleet = createFleet([swap('i-1', { reason: 'rebalance' })], 0);
    fleet.failEnd.set('i-1', { code: 'RequestLimitExceeded', retry: 'later', times: 3 });
    const { execution, entered } = await run(fleet, order());
    expect(entered.filter((name) => name === 'Wait to end again')).toHaveLength(3);
    expect([execution.status, [...fleet.ended], fleet.told.length]).toEqual(['SUCCEEDED', ['i-1'], 1]);
    expect(execution.events.filter(({ type }) => type === 'TaskFailed')).toEqual([]);
  });

  test('a drain that was about to end begins again for a member that has just joined', async () => {
    const fleet = createFleet([swap('i-1', { ...warned, state: 'drained', drainedAtMs: noonMs })], 10_000);
    const steps = stepsOf(fleet);
    const joining: Steps = {
      ...steps,
      [stubArn('end')]: (event) => {
        if (!fleet.swaps.has('i-2')) fleet.swaps.set('i-2', swap('i-2', warned));
        return steps[stubArn('end')]?.(event) ?? Promise.reject();
      },
    };
    const { execution, entered } = await run(fleet, order(), joining);
    expect(entered.slice(entered.indexOf('Is it over?'), entered.indexOf('Is it over?') + 3)).toEqual([
      ...['Is it over?', 'Wait for replacements', 'Begin drain'],
    ]);
    expect([execution.status, fleet.stateOf('i-2').state]).toEqual(['SUCCEEDED', 'drained']);
  });

  test('an event that the bus does not take for ten minutes is sent afterwards', async () => {
    const fleet = createFleet([swap('i-1', { reason: 'rebalance' })], 0);
    const announce = fleet.ports.announcer.announce;
    const untilMs = fleet.ports.clock.now() + 600_000;
    Object.assign(fleet.ports.announcer, {
      announce: (events: Parameters<typeof announce>[0]) =>
        fleet.ports.clock.now() < untilMs
          ? Promise.reject(Object.assign(new Error('no'), { name: 'InternalFailure', $fault: 'server' }))
          : announce(events),
    });
    const { execution } = await run(fleet, order());
    expect(execution.status).toBe('SUCCEEDED');
    expect(fleet.told.map(({ detailType }) => detailType)).toEqual(['Holdfast Drain Finished']);
    expect([...fleet.ended]).toEqual(['i-1']);
  });
});
