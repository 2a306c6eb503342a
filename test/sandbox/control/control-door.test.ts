import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createControlDoor, readOpenWorld, type Sandbox, startSandbox, toWorldSpec } from '../../../sandbox/door.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  const { world } = await readOpenWorld();
  const spec = toWorldSpec({ ...world, timing: { ...world.timing, pendingSeconds: [1, 1], bootSeconds: [1, 1], lagSeconds: [0, 0], latencyMs: {} } });
  sandbox = await startSandbox({ mode: 'live', port: 0, speed: 20, spec, control: (running) => createControlDoor(running) });
});
afterAll(() => sandbox.close());

type Json = Record<string, unknown>;
const ask = async (method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: Json }> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${sandbox.url}/_sandbox${path}`, { method, ...(body === undefined ? {} : { body: text }) });
  return { status: response.status, body: (await response.json()) as Json };
};
const launch = async (market: 'spot' | 'on-demand'): Promise<string> => {
  const answer = (await sandbox.cloud.call({
    service: 'ec2',
    operation: 'RunInstances',
    input: {
      ImageId: 'ami-1',
      InstanceType: 'm7g.large',
      SubnetId: 'subnet-a',
      MinCount: 1,
      MaxCount: 1,
      ...(market === 'spot' ? { InstanceMarketOptions: { MarketType: 'spot' } } : {}),
    },
    caller: { kind: 'operator' },
  })) as { readonly Instances: readonly { readonly InstanceId: string }[] };
  const id = answer.Instances[0]?.InstanceId ?? '';
  await until(() => find(id)?.state === 'running');
  return id;
};
const find = (id: string) => sandbox.world.snapshot().instances.find((instance) => instance.id === id);
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await sandbox.clock.sleep(100);
};

describe('looking in', () => {
  it('shows the world, both tables, executions, messages and cost', async () => {
    const { status, body } = await ask('GET', '/state');
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(
      ['autoScalingGroups', 'cost', 'deadLetters', 'executions', 'groups', 'instances', 'nowMs', 'offerings', 'state', 'targetGroups'].sort(),
    );
    expect(body.targetGroups).toMatchObject([{ name: 'web', healthy: 0 }]);
  });

  it('shows calls by service, operation, caller, outcome and time', async () => {
    await launch('spot');
    const { body } = await ask('GET', '/calls?service=ec2&operation=RunInstances&caller=operator&outcome=ok&sinceMs=0');
    expect((body.calls as Json[])[0]).toMatchObject({ service: 'ec2', operation: 'RunInstances', caller: 'operator', outcome: 'ok' });
    expect(body.counts).toMatchObject({ 'ec2:RunInstances': expect.any(Number) });
    expect(body.mutatingCalls).toBeGreaterThan(0);
    expect((await ask('GET', `/calls?operation=RunInstances&sinceMs=${Number.MAX_SAFE_INTEGER}`)).body.calls).toEqual([]);
  });

  it('refuses a filter that it does not have, and a time that is none', async () => {
    expect((await ask('GET', '/calls?servce=ec2')).body.error).toMatch(/filter is not valid.*servce.*Did you mean service/);
    expect((await ask('GET', '/calls?sinceMs=yesterday')).status).toBe(400);
  });

  it('returns world time', async () => {
    const { body } = await ask('GET', '/clock');
    expect(new Date(String(body.now)).getTime()).toBe(body.nowMs);
  });

  it('lists its routes at its root, and where a route is not there', async () => {
    const root = await ask('GET', '/');
    expect(root.status).toBe(200);
    expect(root.body.routes).toContain(
      'PUT /_sandbox/offerings/{type}/{zone}/{market}: {capacity?, priceUsdPerHour?, reclaim?}: what an offering gives from now on',
    );
    const nowhere = await ask('DELETE', '/state');
    expect(nowhere).toEqual({ status: 404, body: { error: 'There is no DELETE /_sandbox/state here.', routes: root.body.routes } });
  });
});

describe('instances', () => {
  it('are warned, and taken when the notice has run; unknown ones are named', async () => {
    const id = await launch('spot');
    const { status, body } = await ask('POST', '/interrupt', { instanceIds: [id, 'i-nobody'], notice: '1m' });
    expect({ status, body }).toEqual({ status: 200, body: { done: [id], unknown: ['i-nobody'] } });
    const { nowMs } = sandbox.world.snapshot();
    expect(find(id)?.takenAtMs).toBeGreaterThan(nowMs);
    expect(find(id)?.takenAtMs).toBeLessThanOrEqual(nowMs + 60_000);
  });

  it('of on-demand are not interrupted', async () => {
    const id = await launch('on-demand');
    const { status, body } = await ask('POST', '/interrupt', { instanceIds: [id] });
    expect(status).toBe(404);
    expect(body.error).toBe(`None of these is a running spot instance: ${id}. Nothing was changed. GET /_sandbox/state lists what runs.`);
  });

  it('are recommended to be rebalanced', async () => {
    const id = await launch('spot');
    expect(await ask('POST', '/rebalance', { instanceIds: [id] })).toEqual({ status: 200, body: { done: [id], unknown: [] } });
    expect((await ask('POST', '/rebalance', { instanceIds: ['i-nobody'] })).status).toBe(404);
  });

  it('end at once when killed', async () => {
    const id = await launch('on-demand');
    expect(await ask('POST', '/kill', { instanceIds: [id] })).toEqual({ status: 200, body: { done: [id], unknown: [] } });
    expect(['shutting-down', 'terminated']).toContain(find(id)?.state);
    expect((await ask('POST', '/kill', { instanceIds: ['i-nobody'] })).body.error).toMatch(/^None of these is a running instance: i-nobody/);
  });
});

describe('the region', () => {
  const path = '/offerings/m6g.large/us-east-1b/spot';
  const offering = () => sandbox.world.snapshot().offerings.find((one) => `/offerings/${one.instanceType}/${one.zone}/${one.market}` === path);

  it('has the capacity that was set', async () => {
    const { status, body } = await ask('PUT', path, { capacity: 2, priceUsdPerHour: 0.5 });
    expect({ status, body }).toEqual({
      status: 200,
      body: { instanceType: 'm6g.large', zone: 'us-east-1b', market: 'spot', capacity: 2, priceUsdPerHour: 0.5 },
    });
    expect(offering()).toMatchObject({ capacity: 2, priceUsdPerHour: 0.5 });
    await ask('PUT', path, { capacity: null });
    expect(offering()).toMatchObject({ capacity: null, priceUsdPerHour: 0.5 });
  });

  it('interrupts what runs beyond the new capacity', async () => {
    const id = await launch('spot');
    await ask('PUT', '/offerings/m7g.large/us-east-1a/spot', { capacity: 0, reclaim: 120 });
    expect(find(id)?.takenAtMs).toBeDefined();
  });

  it('names the offerings that there are when another is requested', async () => {
    const { status, body } = await ask('PUT', '/offerings/m6g.large/us-east-1b/spots', { capacity: 1 });
    expect(status).toBe(404);
    expect(body.error).toMatch(
      /There is no offering m6g\.large\/us-east-1b\/spots\. Nothing was changed\. There are: .*m6g\.large\/us-east-1b\/spot,/,
    );
  });
});

describe('events and faults', () => {
  it('an event reaches the bus, with what was left out filled in', async () => {
    const seen: string[] = [];
    sandbox.platform.bus.observe((event) => seen.push(event['detail-type']));
    expect(await ask('POST', '/events', { source: 'aws.test', 'detail-type': 'Hello', detail: {} })).toEqual({
      status: 200,
      body: { accepted: true },
    });
    await until(() => seen.includes('Hello'));
  });

  it('faults are replaced by each list, and cleared by an empty one', async () => {
    const fault = { on: 'call', kind: 'throttle', match: { service: 'ec2' }, times: 1 };
    expect((await ask('POST', '/faults', [fault])).body).toEqual({ faults: [fault] });
    expect((await ask('POST', '/faults', { faults: [fault, fault] })).body).toEqual({ faults: [fault, fault] });
    expect((await ask('POST', '/faults', { on: 'event', kind: 'drop' })).body).toEqual({ faults: [{ on: 'event', kind: 'drop', match: {} }] });
    expect(sandbox.faults.list()).toHaveLength(1);
    expect((await ask('POST', '/faults', [])).body).toEqual({ faults: [] });
    expect(sandbox.faults.list()).toEqual([]);
  });
});

describe('a body that is not valid', () => {
  it.each([
    ['POST', '/interrupt', undefined, 'instanceIds: expected list, found nothing'],
    ['POST', '/interrupt', { instanceIds: [] }, 'instanceIds: expected list to have at least 1 items'],
    ['POST', '/interrupt', { instanceIds: ['i-1'], notice: 'soon' }, 'notice: expected number, found string, or found "soon"; a duration is'],
    [
      'POST',
      '/interrupt',
      { instanceIds: ['i-1'], notise: 1 },
      'unknown: notise. There are: instanceIds, notice, silent, action. Did you mean notice?',
    ],
    ['POST', '/events', { source: 'aws.test', 'detail-type': 'Hello' }, 'detail: expected map, found nothing'],
    ['PUT', '/offerings/m6g.large/us-east-1b/spot', { capacity: -1 }, 'capacity: expected number to be at least 0'],
    ['POST', '/faults', { on: 'call', kind: 'throtle' }, '[0].kind: expected throttle, error, lose-answer, delay or crash-caller'],
    [
      'POST',
      '/faults',
      [{ on: 'call', kind: 'throttle', tims: 1 }],
      '[0]: unknown: tims. There are: kind, on, match, probability, nth, times, fromMs, untilMs. Did you mean times?',
    ],
    ['POST', '/kill', 'not JSON', 'The body is not JSON'],
  ])('is refused: %s %s %j', async (method, path, body, text) => {
    const answer = await ask(method, path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(text);
    expect(answer.body.error).toMatch(/[Nn]othing was changed/);
  });
});
