import { validatePolicy } from '../core/policy/validate.ts';

/** One row of the table: a trace, and how it is played. */
export type TraceRow = {
  readonly trace: TraceName;
  readonly members: number;
  readonly tree: 'spread' | 'cheapest';
  /** Members that are kept beyond the size. */
  readonly spare: number;
  /** `flat`: spot costs a third of on-demand. `trace`: what the trace says. */
  readonly prices: 'flat' | 'trace';
  /** 0: kept by tag, no target group. Otherwise the deregistration delay of a target group. */
  readonly drainS: number;
};

/** A row with a seed. */
export type PlayedRow = TraceRow & { readonly seed: number };

/** Traces by the names that papers give them. A trace that probed one instance says only whether there was any. */
export const traceFiles = {
  'aws-1': { file: 'aws-v100-4node-3z-2023-08.json' },
  'aws-2': { file: 'aws-v100-16node-3z-2023-08.json' },
  'aws-3': { file: 'aws-v100-1node-9z-2023-02.json', unlimitedWhenUp: true },
  h100: { file: 'gcp-h100-16node-13z-2025-10.json' },
} as const satisfies Readonly<Record<string, { readonly file: string; readonly unlimitedWhenUp?: boolean }>>;
export type TraceName = keyof typeof traceFiles;
export const traceNames = Object.keys(traceFiles) as readonly TraceName[];

const flat = { tree: 'spread', spare: 0, prices: 'flat' } as const;
const dear = { tree: 'cheapest', spare: 0, prices: 'trace' } as const;

/** The table, for a number of members. */
export const tableRows = (members: number): readonly TraceRow[] => [
  { ...flat, trace: 'aws-1', members, drainS: 0 },
  { ...flat, trace: 'aws-1', members, drainS: 30 },
  { ...flat, trace: 'aws-2', members, drainS: 0 },
  { ...flat, trace: 'aws-2', members, drainS: 30 },
  { ...flat, trace: 'aws-1', members, drainS: 0, spare: 1 },
  { ...dear, trace: 'h100', members, drainS: 0 },
  { ...dear, trace: 'aws-3', members, drainS: 0 },
];

export const seeds = [1, 2];

/** The name of a row's policy in the table. */
export const policyName = ({ tree, spare, prices }: TraceRow): string =>
  [tree, ...(spare > 0 ? [`spare ${spare}`] : []), ...(prices === 'trace' ? ["the trace's prices"] : [])].join(', ');

/** Whether the product's schema knows this field of a policy. */
const knowsField = (name: string, value: unknown): boolean => {
  const pool = { market: 'spot', launchTemplate: 'trainer', subnets: ['subnet-0a'], instanceTypes: ['p3.2xlarge'] };
  return validatePolicy({ group: 'asked', size: 1, capacity: 'pool', pools: { pool }, [name]: value }).kind === 'valid';
};

/** Whether a row can be played: its policy has no field that the product does not have. */
export const isPlayable = ({ spare }: TraceRow): boolean => spare === 0 || knowsField('spare', spare);
