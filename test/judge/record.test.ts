import { beforeAll, describe, expect, it } from 'vitest';
import { registryKnownMs, signalsVisibilityMs, tickEveryMs } from '../../core/times/times.ts';
import type { History, HistoryEvent } from '../../sandbox/judge/history.ts';
import { staleMs } from '../../sandbox/judge/record.ts';
import { play } from '../sim/play.ts';
import type { Situation } from '../sim/situation.ts';
import { alarm, endThroughAsg, endThroughEc2, interrupt, kill, putPolicy } from '../sim/steps.ts';
import { settingOf } from '../sim/worlds.ts';

const hooks = [{ name: 'drain', transition: 'terminating' as const, heartbeatSeconds: 120, defaultResult: 'CONTINUE' as const }];
const policyMore = {
  return: false,
  scaling: [{ alarm: 'high', adjust: '+1', cooldown: '1m' }],
};
const { spec, policy } = settingOf('attach', { size: { min: 2, max: 8, desired: 4 }, min: 0, max: 8, hooks, policy: policyMore });

const situation: Situation = {
  name: 'a run to be recorded',
  seed: 3,
  spec,
  policies: [policy],
  asked: { web: { size: 4 } },
  steps: [
    interrupt(1_000, 1),
    endThroughAsg(60_000, 1),
    kill(130_000, 1),
    endThroughEc2(180_000, 1),
    alarm(240_000, 'high'),
    putPolicy(300_000, { ...policy, tags: { team: 'web' } }),
  ],
  calmAtMs: 400_000,
  restWithinMs: 600_000,
};

const crash: Situation = {
  ...situation,
  name: 'faults that hit functions',
  steps: [interrupt(1_000, 1), interrupt(60_000, 1)],
  faults: [
    { on: 'call', kind: 'crash-caller', when: 'after', match: { service: 'ec2', operation: 'CreateFleet' }, nth: 1 },
    { on: 'call', kind: 'lose-answer', when: 'after', match: { service: 'ec2', operation: 'CreateFleet' }, nth: 3 },
    { on: 'call', kind: 'throttle', match: { service: 'autoscaling', operation: 'AttachInstances' }, nth: 1 },
    { on: 'call', kind: 'delay', delayMs: 300, match: { service: 'autoscaling', operation: 'TerminateInstanceInAutoScalingGroup' }, nth: 1 },
    { on: 'clock', kind: 'step', withinMs: 500, match: { caller: 'holdfast-tick-role' }, times: 1 },
  ],
  calmAtMs: 120_000,
};

type Of<Kind extends HistoryEvent['kind']> = Extract<HistoryEvent, { kind: Kind }>;
const all = <Kind extends HistoryEvent['kind']>({ events }: History, kind: Kind): readonly Of<Kind>[] =>
  events.filter((event): event is Of<Kind> => event.kind === kind);

describe('the record of a run', () => {
  let history: History;
  beforeAll(async () => {
    ({ history } = await play(situation));
  });
  const isFunction = ({ by }: { readonly by: { readonly kind: string } }): boolean => by.kind === 'function';
  const instanceOf = (step: number): string => all(history, 'step')[step]?.instances[0] ?? 'none';
  const lifeOf = (instance: string): readonly string[] =>
    history.events.flatMap((event) => ('instance' in event && event.instance === instance ? [event.kind] : []));

  it('has its moments, and plain data alone', () => {
    const { beganAtMs, readyAtMs, calmAtMs, restAtMs = 0, endedAtMs } = history;
    expect([beganAtMs, readyAtMs, calmAtMs, restAtMs, endedAtMs]).toEqual([beganAtMs, readyAtMs, calmAtMs, restAtMs, endedAtMs].toSorted());
    expect(calmAtMs - readyAtMs).toBe(situation.calmAtMs);
    expect(JSON.parse(JSON.stringify(history))).toEqual(history);
    const times = history.events.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('has what the script did, and to which instances', () => {
    expect(all(history, 'step').map(({ step, instances }) => [step, instances.length])).toEqual([
      ['interrupted', 1],
      ['ended-through-asg', 1],
      ['died', 1],
      ['ended-by-user', 1],
      ['alarmed', 0],
      ['policy-edited', 0],
    ]);
  });

  it('names what launched each instance: the group itself, or an invocation that requested it before it was launched', () => {
    const launched = all(history, 'launched');
    const byGroup = launched.filter(({ by }) => by.kind === 'asg');
    expect(new Set(byGroup.map(({ asg }) => asg))).toEqual(new Set(['strangers', 'web-asg']));
    const ours = launched.filter(isFunction);
    expect(ours.length).toBeGreaterThanOrEqual(3);
    for (const { by, atMs, askedAtMs = 0, instance } of ours) {
      const invocation = by.kind === 'function' ? by.invocation : '';
      expect(by).toMatchObject({ function: 'holdfast-react' });
      const call = all(history, 'called').find(
        (one) => one.invocation === invocation && one.operation === 'CreateFleet' && one.askedAtMs === askedAtMs,
      );
      expect(call, instance).toMatchObject({ applied: true, outcome: 'ok', isMutating: true, launch: { group: 'web' } });
      expect(askedAtMs).toBeLessThan(atMs);
      expect(all(history, 'joined').find((one) => one.instance === instance)?.by).toMatchObject({ function: 'holdfast-react' });
    }
  });

  it('follows the warned member through its warning, its drain and its end', () => {
    const warned = instanceOf(0);
    expect(lifeOf(warned).slice(lifeOf(warned).indexOf('warned'))).toEqual(
      expect.arrayContaining(['warned', 'out-of-service', 'empty', 'left', 'ended']),
    );
    const delivered = all(history, 'delivered').filter(({ told }) => told.about === 'warning' && told.instance === warned);
    expect(delivered).toMatchObject([{ function: 'holdfast-react' }]);
    const warnedAtMs = all(history, 'warned')[0]?.atMs ?? 0;
    expect(delivered[0]?.happenedAtMs).toBe(warnedAtMs - (warnedAtMs % 1000));
    const [out] = all(history, 'out-of-service').filter(({ instance }) => instance === warned);
    expect(out).toMatchObject({ why: 'deregistered', targetGroup: 'web', by: { kind: 'function' } });
    const drains = all(history, 'drain').filter(({ instances }) => instances.includes(warned));
    const started = drains.filter(({ status }) => status === 'started').map(({ drain }) => drain);
    expect(started.length).toBeGreaterThanOrEqual(1);
    expect(
      drains
        .filter(({ status }) => status === 'succeeded')
        .map(({ drain }) => drain)
        .toSorted(),
    ).toEqual(started.toSorted());
  });

  it('has how the hook of a member ended that the user terminates, and who began its end', () => {
    const ended = instanceOf(1);
    const [waits] = all(history, 'hook-waits').filter(({ instance }) => instance === ended);
    const [over] = all(history, 'hook-over').filter(({ instance }) => instance === ended);
    expect(waits).toMatchObject({ asg: 'web-asg', hook: 'drain' });
    expect(over).toMatchObject({ how: 'completed', result: 'CONTINUE', by: { function: 'holdfast-end-drain' } });
    expect(all(history, 'ending').find(({ instance }) => instance === ended)?.by).toEqual({ kind: 'user' });
    expect(all(history, 'delivered').some(({ told }) => told.about === 'hook' && told.instance === ended)).toBe(true);
  });

  it('distinguishes the script from the user', () => {
    expect(all(history, 'ending').find(({ instance }) => instance === instanceOf(2))?.by).toEqual({ kind: 'script' });
    expect(all(history, 'ending').find(({ instance }) => instance === instanceOf(3))?.by).toEqual({ kind: 'user' });
  });

  it('has every change of the Auto Scaling group with its actor, and nothing else', () => {
    const web = all(history, 'asg-changed').filter(({ asg }) => asg === 'web-asg');
    expect(web[0]).toMatchObject({ min: 0, max: 8, desired: 4, by: { kind: 'user' } });
    const texts = web.map(({ min, max, desired, suspended }) => `${min} ${max} ${desired} ${suspended}`);
    for (const [index, text] of texts.slice(1).entries()) expect(text).not.toBe(texts[index]);
    expect(web.some(isFunction)).toBe(true);
    const finalDesired = Object.values(history.stored.states).map((state) => (state as { desired: number }).desired);
    expect(web.at(-1)?.desired).toBe(finalDesired[0]);
  });

  it('has what was written and what came into force', () => {
    expect(all(history, 'policy-written').map(({ document }) => document?.group)).toEqual(['web', 'web']);
    expect(all(history, 'policy-in-force').map(({ version, document }) => [version, document?.tags])).toEqual([
      [1, undefined],
      [2, { team: 'web' }],
    ]);
    const states = all(history, 'state-written');
    expect(states.map(({ version }) => version)).toEqual(states.map((_, index) => index + 1));
    expect(states.at(-1)).toMatchObject({ group: 'web', policyVersion: 2 });
    for (const { bytes } of states) expect(bytes).toBeGreaterThan(100);
    const writers = states.map(({ by }) => (by.kind === 'function' ? by.function : by.kind));
    expect(new Set(writers)).toEqual(new Set(['holdfast-react']));
    expect(
      all(history, 'item-written')
        .filter(({ by }) => by.kind !== 'function')
        .map(({ item }) => item),
    ).toEqual(['policy', 'policy']);
    expect(all(history, 'item-written').some(({ item }) => item.startsWith('swap#'))).toBe(true);
    expect(all(history, 'announced').map(({ detailType }) => detailType)).toContain('Holdfast Drain Finished');
  });

  it('pairs beginnings and ends of invocations, and none had a fault', () => {
    const began = all(history, 'invocation-began').map(({ invocation }) => invocation);
    const ended = all(history, 'invocation-ended');
    expect(new Set(ended.map(({ invocation }) => invocation))).toEqual(new Set(began));
    expect(ended.filter(({ injected, error }) => injected || error !== undefined)).toEqual([]);
    const known = new Set(began);
    for (const { invocation } of all(history, 'called')) expect(known.has(invocation)).toBe(true);
  });
});

describe('the record of a run with faults', () => {
  let history: History;
  beforeAll(async () => {
    ({ history } = await play(crash));
  });

  it('keeps while which faults were in force', () => {
    expect(history.faults.map(({ fault, fromMs, untilMs }) => [fault.kind, fromMs, untilMs])).toEqual(
      (crash.faults ?? []).map(({ kind: faultKind }) => [faultKind, history.readyAtMs, history.calmAtMs]),
    );
  });

  it('marks the calls that were hit, and whether they were carried out all the same', () => {
    const hit = all(history, 'called').filter(({ trouble }) => trouble === 'fault');
    expect(hit.map(({ operation, outcome, applied }) => [operation, outcome, applied])).toEqual(
      expect.arrayContaining([
        ['CreateFleet', 'crashed', true],
        ['CreateFleet', 'lost', true],
        ['AttachInstances', 'Throttling', false],
      ]),
    );
    expect(hit).toHaveLength(3);
  });

  it('marks the invocations that a fault was injected into, and no other failed', () => {
    const ended = all(history, 'invocation-ended');
    const hit = new Set(all(history, 'called').flatMap(({ trouble, invocation }) => (trouble === 'fault' ? [invocation] : [])));
    const injected = ended.filter((one) => one.injected);
    for (const invocation of hit) expect(injected.map((one) => one.invocation)).toContain(invocation);
    // One of them had nothing but a slow answer.
    expect(injected.filter((one) => !hit.has(one.invocation)).length).toBeGreaterThanOrEqual(1);
    const failed = ended.filter(({ error }) => error !== undefined);
    expect(failed.map(({ error, injected: wasInjected }) => [error?.type, wasInjected])).toContainEqual(['Runtime.ExitError', true]);
    expect(failed.filter((one) => !one.injected)).toEqual([]);
    const [crashed] = failed;
    expect(crashed?.again.length).toBeGreaterThan(0);
    const twice = all(history, 'delivered').filter(({ message }) => crashed?.again.includes(message));
    expect(new Set(twice.map(({ invocation }) => invocation)).size).toBeGreaterThan(1);
  });
});

it('a message is left on a queue once it is older than the last tick that a written policy sends, and the time for which it is hidden', () => {
  const lastTickMs = Math.floor(registryKnownMs / tickEveryMs) * tickEveryMs;
  expect(staleMs).toBeGreaterThan(lastTickMs + signalsVisibilityMs);
  expect(staleMs).toBeLessThan(lastTickMs + signalsVisibilityMs + tickEveryMs / 2);
});
