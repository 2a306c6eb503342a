import { runAssembly } from './stage.ts';
import { judge, type Task } from './task.ts';

const [, , assembly] = process.argv;
if (assembly === undefined) throw new Error('The directory of a synthesized app is missing.');
runAssembly(assembly);

process.on('message', (task: Task) => {
  void judge(task).then((violations) => process.send?.(violations));
});
// Timers of functions that died would keep the process alive for up to a minute.
process.once('disconnect', () => process.exit());
