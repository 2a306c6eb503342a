import { describe, expect, test } from 'vitest';
import { untilServing } from '../../bench/large-watch.ts';

type Sandbox = Parameters<typeof untilServing>[0];

/** Every two seconds one more member serves. */
const growing = (): Sandbox => {
  let nowMs = 0;
  const healthy = { targets: { tg: 'healthy' } };
  const instances = () => [...Array.from({ length: nowMs / 2_000 }, () => healthy), { targets: {} }, { targets: { tg: 'draining' } }];
  const sleep = async (ms: number): Promise<void> => {
    nowMs += ms;
  };
  const clock = { now: () => nowMs, sleep };
  return { clock, world: { snapshot: () => ({ instances: instances() }) } } as unknown as Sandbox;
};

describe('a phase that ends when so many members serve', () => {
  test('says every ten minutes how many do', async () => {
    const sandbox = growing();
    const said: string[] = [];
    await untilServing(sandbox, 601, { progress: (line) => said.push(line) });
    expect(sandbox.clock.now()).toBe(1_202_000);
    expect(said).toEqual([
      expect.stringMatching(/^after 600 s, 300 of 601 members serve /),
      expect.stringMatching(/^after 1200 s, 600 of 601 members serve /),
    ]);
  });

  test('fails where that takes too long', async () => {
    await expect(untilServing(growing(), 20, { withinMs: 30_000 })).rejects.toThrow('after 30 s, 16 of 20 members serve');
  });
});
