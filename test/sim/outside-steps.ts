import { surroundingsOf } from '../../sandbox/outside/surroundings.ts';
import { everyPeriod, read, write } from '../../sandbox/outside/writer.ts';
import { startWriter, type WriterSpec } from '../../sandbox/outside/writers.ts';
import type { Step } from './situation.ts';

const who: Readonly<Record<WriterSpec['kind'], string>> = {
  absolute: 'a scaler of absolute sizes',
  steps: 'a scaler of steps',
  'target-tracking': 'target tracking',
  person: 'a person',
  buildkite: 'a scheduler whose idle agents end themselves',
  fleeting: 'a scheduler that ends its own runners',
  'ec2-fleet': 'a scheduler that writes bounds and size',
  ecs: 'an ECS capacity provider',
  terraform: 'an apply of Terraform',
};

/** From then on somebody sets the size of an Auto Scaling group, for so long. */
export const setBy = (atMs: number, spec: WriterSpec, forMs: number): Step => ({
  kind: 'size-set-outside',
  atMs,
  lastsMs: forMs,
  what: `${who[spec.kind]} sets the desired capacity of ${spec.asg} for ${forMs / 1_000} s`,
  about: { asg: spec.asg },
  happen: ({ sandbox, did, situation }) => {
    did({ kind: 'size-set-outside', asgs: [spec.asg] });
    const writer = startWriter(surroundingsOf(sandbox, situation.seed, `${spec.kind} ${atMs}`), spec);
    sandbox.clock.after(forMs, () => writer.stop());
  },
});

type Watcher = {
  readonly asg: string;
  readonly everyMs: number;
  /** What it adds to the number that it finds when members have joined. */
  readonly by: number;
  /** From the moment when it sees members join to its first write. */
  readonly waitsMs?: number;
};

/**
 * From then on somebody watches an Auto Scaling group. Once a describe shows that members joined, this number or the
 * next one is the size that he wants, and he sets it whenever a describe shows another.
 */
export const watchedBy = (atMs: number, { asg, everyMs, by, waitsMs = 0 }: Watcher, forMs: number): Step => ({
  kind: 'size-set-outside',
  atMs,
  lastsMs: forMs,
  what: `somebody watches ${asg} for ${forMs / 1_000} s, and sets its size when members join`,
  about: { asg },
  happen: ({ sandbox, did, situation }) => {
    did({ kind: 'size-set-outside', asgs: [asg] });
    const world = surroundingsOf(sandbox, situation.seed, `watcher ${atMs}`);
    let before: number | undefined;
    let wanted: number | undefined;
    const writer = everyPeriod(world, everyMs, async () => {
      const shown = await read(world, asg);
      if (shown === undefined) return;
      if (wanted === undefined && before !== undefined && shown.inService > before) {
        wanted = shown.desired + by;
        await world.clock.sleep(waitsMs);
      }
      before = shown.inService;
      if (wanted !== undefined && shown.desired !== wanted) await write(world, asg, shown, wanted);
    });
    sandbox.clock.after(forMs, () => writer.stop());
  },
});
