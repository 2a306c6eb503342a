import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isRunning } from '../../assembly/is-running.ts';

test.runIf(process.platform === 'linux')('a process that has ended does not run, also if its parent never waits for it', async () => {
  const parent = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect([isRunning(pid), isRunning(parent.pid as number)]).toEqual([true, true]);
    for (let tries = 0; tries < 100 && isRunning(pid); tries += 1) await sleep(100);
    expect(process.kill(pid, 0)).toBe(true);
    expect([isRunning(pid), isRunning(parent.pid as number)]).toEqual([false, true]);
  } finally {
    parent.kill();
  }
});
