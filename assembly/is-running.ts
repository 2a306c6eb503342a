import { readFileSync } from 'node:fs';

/** Whether Linux shows a process as ended that its parent has not waited for. Nothing may ever do so in a container. */
const isDefunct = (pid: number): boolean => {
  try {
    // The state follows the name, which is in parentheses and may have some itself (proc_pid_stat(5)).
    return /^.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // No such process, or no Linux.
    return false;
  }
};

export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0) && !isDefunct(pid);
  } catch {
    // No such process.
    return false;
  }
};
