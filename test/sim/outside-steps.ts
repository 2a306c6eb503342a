import { surroundingsOf } from '../../sandbox/outside/surroundings.ts';
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
