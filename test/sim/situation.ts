import type { FaultInput } from '../../sandbox/fault-schema.ts';
import type { WorldSpec } from '../../sandbox/world/spec.ts';
import type { Stage } from './stage.ts';
import type { StepKind } from './step-kind.ts';

/** Why the actions of an alarm do nothing: another alarm suppresses them, or a rule mutes them. */
export type Quiet = 'suppressed' | 'muted';

/** Something that happens to the world, at a time counted from the moment when every group serves its size. */
export type Step = {
  /** What it does: rules, allowances and tables go by this, never by the sentence. */
  readonly kind: StepKind;
  readonly atMs: number;
  /** The same for people who read a trace. */
  readonly what: string;
  /** Names of what it is about, where it is about one. */
  readonly about?: { readonly group?: string; readonly asg?: string; readonly process?: string; readonly alarm?: string; readonly quiet?: Quiet };
  /** How long it goes on after it began: the world is not calm before. */
  readonly lastsMs?: number;
  /** Does it, and says through `stage.did` which instances and groups it touches. */
  readonly happen: (stage: Stage) => void | Promise<void>;
};

/** What the script of a situation asks of a group. */
export type Asked = {
  /** Size that the group starts at. */
  readonly size: number;
  /** Size at the end, where it is certain. */
  readonly endsAt?: number;
};

/** One run of the simulation: everything follows from it. */
export type Situation = {
  readonly name: string;
  readonly seed: number;
  readonly spec: WorldSpec;
  readonly policies: readonly Readonly<Record<string, unknown>>[];
  readonly asked: Readonly<Record<string, Asked>>;
  readonly steps: readonly Step[];
  /** Set when the groups are up, taken back at `calmAtMs`. */
  readonly faults?: readonly FaultInput[];
  /** Faults stay, because they act once only, whenever that is. */
  readonly keepsFaults?: boolean;
  /** From then on nothing more is done to the world (counted as steps are). */
  readonly calmAtMs: number;
  /** How long after that everything must be at rest. */
  readonly restWithinMs: number;
  /** How wrong the clocks of functions may be, each environment's in its own way. */
  readonly clockErrorMs?: number;
  /** Calls of functions are written and read as on the wire: it changes nothing but the time that a run takes. */
  readonly writes?: boolean;
};
