import { assemble } from '/work/main/scripts/assemble.ts';
import { runs } from '/work/main/test/mutants/runs.ts';

const dir = process.env.ASM ?? (await assemble());
const only = process.argv.slice(2);
for (const [name, run] of Object.entries(runs)) {
  if (only.length && !only.some((o) => name.includes(o))) continue;
  const t = Date.now();
  try {
    const v = await run(dir);
    console.log(name, Date.now() - t, 'ms', v.length ? JSON.stringify(v).slice(0, 600) : 'ok');
  } catch (e) {
    console.log(name, Date.now() - t, 'ms THROWS', String((e as Error).stack).slice(0, 900));
  }
}
