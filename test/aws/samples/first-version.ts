import { readFileSync } from 'node:fs';

type Reason = { readonly why: string };
type Stored = Readonly<Record<string, unknown>> & { readonly group: string; readonly item: string };

/** Items as the first version of Holdfast stored them, taken from its tables after it had run in simulated worlds. */
export const firstVersion = JSON.parse(readFileSync(new URL('first-version.json', import.meta.url), 'utf8')) as {
  readonly decisions: readonly (Stored & {
    readonly id: string;
    readonly atMs: number;
    readonly policyVersion: number;
    readonly because: readonly string[];
    readonly decision: readonly { readonly reasons: readonly Reason[]; readonly removals: readonly Reason[] }[];
    readonly viewDigest: { readonly desired: number };
    readonly outcome?: object;
  })[];
  readonly swaps: readonly (Stored & { readonly instance: string; readonly shortfall?: string })[];
  readonly states: readonly (Stored & { readonly version: number; readonly state: Readonly<Record<string, unknown>> })[];
  readonly groups: readonly Stored[];
};
