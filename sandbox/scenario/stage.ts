import type { Acting } from '../acting.ts';
import type { CallLog } from '../call-log.ts';
import type { WorldClock } from '../clock.ts';
import type { Cloud } from '../cloud.ts';
import type { FaultInput } from '../fault-schema.ts';
import type { Faults } from '../faults.ts';
import type { Platform } from '../platform/platform.ts';
import type { World } from '../world/world.ts';

/** A running sandbox, as far as a scenario needs it. */
export type Stage = {
  readonly cloud: Pick<Cloud, 'call'>;
  readonly mode: 'live' | 'simulated';
  readonly clock: WorldClock;
  readonly world: World;
  readonly callLog: CallLog;
  readonly faults: Faults;
  readonly platform: Platform;
  readonly acting: Acting;
  setFaults(faults: readonly FaultInput[]): void;
  /** Writes a document into the groups table, as an operator would. */
  putPolicy(document: Readonly<Record<string, unknown>>): Promise<void>;
  /** Puts an event of an AWS service on the bus. */
  emitEvent(event: {
    readonly source: string;
    readonly 'detail-type': string;
    readonly detail: Readonly<Record<string, unknown>>;
    readonly resources?: readonly string[];
  }): void;
  /** Every item of a table, in plain values. */
  items(table: 'groups' | 'state'): Promise<readonly Record<string, unknown>[]>;
  executions(): readonly { readonly name: string; readonly status: string }[];
  /** Messages in the dead-letter queue. */
  deadLetters(): number;
  /** Lets time run until the work is done. On the wall clock it runs by itself. */
  drive<T>(work: Promise<T>): Promise<T>;
};
