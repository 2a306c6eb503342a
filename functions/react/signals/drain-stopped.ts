import * as z from 'zod/mini';
import { groupNamePattern } from '../../../core/policy/group-name.ts';
import { timeOf } from './envelope.ts';
import { signalType } from './signal-type.ts';

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
 * The execution of a drain ended before its time, because somebody stopped it. Nobody keeps its lifecycle hooks alive
 * from now on. The rule lets through the executions of this deployment's state machine alone.
 */
export const drainStopped = signalType({
  source: 'aws.states',
  detailType: 'Step Functions Execution Status Change',
  detail: z.object({ status: z.string(), input: z.optional(z.nullable(z.string())) }),
  toReading: ({ status, input }, event) => {
    if (status !== 'ABORTED') return { kind: 'ignored', why: `execution is ${status}` };
    const ordered = orderIn(input ?? '');
    if (ordered === undefined) return { kind: 'ignored', why: 'an execution that Holdfast did not start' };
    return {
      kind: 'signal',
      signal: { kind: 'drain-stopped', group: ordered.group, drain: ordered.drain, atMs: timeOf(event) },
    };
  },
});
