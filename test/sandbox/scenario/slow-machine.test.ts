import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { playScenario, type Report, startSandbox, toWorldSpec } from '../../../sandbox/door.ts';
import { parseScenario } from '../../../sandbox/scenario/scenario-schema.ts';

const speed = 40;
/** Two members in two zones, of which one is warned and taken a minute later. */
const outage = parseScenario(
  parse(`
name: short-outage
about: one of two members is warned and taken
speed: ${speed}
world:
  zones: [us-east-1a, us-east-1b]
  subnets: [{ id: subnet-a, zone: us-east-1a }, { id: subnet-b, zone: us-east-1b }]
  offerings:
    - { instanceTypes: [m7g.large], zones: [us-east-1a, us-east-1b], market: spot, capacity: 4, priceUsdPerHour: 0.03 }
  launchTemplates: [{ name: web }]
  targetGroups: [{ name: web, deregistrationDelaySeconds: 20, healthCheckIntervalSeconds: 5, healthyThreshold: 2 }]
policies:
  - group: web
    size: 2
    capacity: { spread: [spot-a, spot-b] }
    defaults: { launchTemplate: web, instanceTypes: [m7g.large] }
    pools:
      spot-a: { market: spot, subnets: [subnet-a] }
      spot-b: { market: spot, subnets: [subnet-b] }
    drain: { timeout: 30s, loadBalancers: ['\${targetGroup:web}'] }
timeline:
  - { at: 1s, interrupt: { group: web, zone: us-east-1a, notice: 60s } }
lasts: 65s
expect:
  lowestServing: { web: 2 }
`),
);

let stop = (): void => undefined;
afterEach(() => stop());

/** This machine does something else for most of the time: 200 ms, which are 8 s of the world at its speed, before each 60 ms. */
const slowMachine = (): (() => void) => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const next = (): NodeJS.Timeout =>
    setTimeout(() => {
      Atomics.wait(cell, 0, 0, 200);
      timer = next();
    }, 60);
  let timer = next();
  return () => clearTimeout(timer);
};

const play = async (): Promise<Report> => {
  const sandbox = await startSandbox({ mode: 'live', spec: toWorldSpec(outage.world), seed: outage.seed, speed });
  stop = slowMachine();
  try {
    return await playScenario(sandbox, outage);
  } finally {
    stop();
    await sandbox.close();
  }
};

describe('a live scenario on a machine that does not keep up', { timeout: 240_000 }, () => {
  it('holds, because the world waits for the machine, and the report says how fast time passed', async () => {
    const report = await play();
    expect(report.invariants.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.interruptions).toHaveLength(1);
    expect(report.reachedSpeed).toBeGreaterThan(0);
    expect(report.reachedSpeed).toBeLessThan(speed * 0.75);
  });
});
