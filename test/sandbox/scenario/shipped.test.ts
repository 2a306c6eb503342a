import { describe, expect, it } from 'vitest';
import { playScenario, type Report, readScenario, type Scenario, startSandbox, toWorldSpec } from '../../../sandbox/door.ts';
import { parseScenario } from '../../../sandbox/scenario/scenario-schema.ts';
import { smallest } from './smallest.ts';

const play = async (scenario: Scenario): Promise<Report> => {
  const sandbox = await startSandbox({ mode: 'simulated', spec: toWorldSpec(scenario.world), seed: scenario.seed });
  try {
    return await playScenario(sandbox, scenario);
  } finally {
    await sandbox.close();
  }
};
const brokenIn = ({ invariants }: Report) => invariants.filter(({ ok }) => !ok);

describe('scenarios that ship, in virtual time', { timeout: 120_000 }, () => {
  it.each([
    'lost-events',
    'nothing-left',
    'refused-then-granted',
    'flapping-zone',
    'capacity-returns',
    'ratchet',
    'failing-boots',
    'crash-loop',
    'rebalance-advice',
    'breaker',
    'denied-launches',
    'observe',
    'lasting-alarm',
    'own-scaling',
    'return-to-spot',
    'zones-even-out',
    'spare',
    'floor-and-shares',
    'many-groups',
  ])('%s holds', async (name) => {
    const report = await play(await readScenario(name));
    expect(brokenIn(report)).toEqual([]);
    expect(report).toMatchObject({ scenario: name, mode: 'simulated', ok: true });
  });

  it.each(['external-scaler', 'target-tracking', 'ci-runners'])('%s, whose size others set, holds', async (name) => {
    expect(brokenIn(await play(await readScenario(name)))).toEqual([]);
  });

  it('measured-load holds: the group grows until each member has the load that it can take, and shrinks again', async () => {
    const report = await play(await readScenario('measured-load'));
    expect(brokenIn(report)).toEqual([]);
    const serving = report.groups[0]?.servingOverTime.map((one) => one.serving) ?? [];
    expect(Math.max(...serving)).toBe(12);
    expect(report).toMatchObject({ ok: true, requests: { dropped: 0 } });
  });

  it('flapping-return holds, with at most three members that move to spot within the hour', async () => {
    const report = await play(await readScenario('flapping-return'));
    expect(brokenIn(report)).toEqual([]);
    const [first = 0, ...moved] = report.interruptions.map(({ warnedAtMs }) => warnedAtMs);
    const returned = moved.filter((warnedAtMs) => warnedAtMs > first + 180_000);
    expect(returned.length).toBeGreaterThan(0);
    expect(returned.filter((atMs) => atMs < (returned[0] ?? 0) + 3_600_000).length).toBeLessThanOrEqual(3);
  });

  it('a day of the recorded trace holds, with its availability and its cost', async () => {
    const report = await play(await readScenario('real-day'));
    expect(brokenIn(report)).toEqual([]);
    expect(report.groups[0]?.availabilityPercent).toBeGreaterThan(98);
    expect(report.costUsd).toBeGreaterThan(0);
    expect(report.costUsd).toBeLessThan(report.onDemandCostUsd);
    expect(report.notes.join('\n')).toContain('even spread with on-demand');
  });

  it('the same seed gives the same report', async () => {
    const scenario = await readScenario('nothing-left');
    expect(await play(scenario)).toEqual(await play(scenario));
  });

  it('a policy that is refused ends the scenario with the reasons', async () => {
    const refused = parseScenario(smallest({ policies: [{ group: 'web', size: 1, capacity: 'spot-b', pools: smallest().policies[0]?.pools }] }));
    await expect(play(refused)).rejects.toThrow(/The policy of web was refused[\s\S]*capacity: .*found "spot-b"/);
  });
});
