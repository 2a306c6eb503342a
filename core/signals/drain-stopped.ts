import * as z from 'zod/mini';
import { groupNamePattern } from '../policy/group-name.ts';
import { neverOver, signalKind, type Unread } from './signal-kind.ts';

type DrainStopped = {
  readonly kind: 'drain-stopped';
  readonly group: string;
  readonly drain: string;
  readonly atMs: number;
};

/** The input that Holdfast starts every drain with. */
const order = z.object({ group: z.string().check(z.regex(groupNamePattern)), drain: z.string().check(z.minLength(1)) });

const orderIn = (text: string): z.output<typeof order> | undefined => {
  try {
    const read = z.safeParse(order, JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
};

/**
 * The execution of a drain was stopped before its end. From then on nothing keeps its lifecycle hooks alive.
 */
export const drainStopped = signalKind({
  kind: 'drain-stopped',
  source: 'aws.states',
  detailType: 'Step Functions Execution Status Change',
  comes: { by: 'rule', where: { status: ['ABORTED'] }, ofOwnDrains: true },
  detail: z.object({ status: z.string(), input: z.optional(z.nullable(z.string())) }),
  toSignal: ({ status, input }, atMs): DrainStopped | Unread => {
    if (status !== 'ABORTED') return { kind: 'ignored', why: `execution is ${status}` };
    const ordered = orderIn(input ?? '');
    if (ordered === undefined) return { kind: 'ignored', why: 'an execution that Holdfast did not start' };
    return { kind: 'drain-stopped', group: ordered.group, drain: ordered.drain, atMs };
  },
  about: ({ group }) => ({ groups: [group] }),
  isOver: neverOver,
  comesAgain: 'always',
  adds: ({ drain }) => ({ stoppedDrains: [drain] }),
  cause: { drain: z.string() },
  causeOf: ({ drain }) => ({ drain }),
});
