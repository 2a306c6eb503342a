import type { LookedUp, Names } from '../../core/policy/resolution.ts';
import type { Announcement } from '../../core/ports/surroundings.ts';
import { acceptPolicy, type Outcome } from '../../functions/accept-policy/accept-policy.ts';
import type { AcceptPolicyPorts } from '../../functions/accept-policy/ports.ts';
import { resolution as account } from '../policy/documents.ts';
import { createMemoryStore } from './memory-store.ts';

type AnyFunction = (...parameters: unknown[]) => Promise<unknown>;

/** Dies before the n-th call of any port (0: never), or just after it was carried out. */
type Death = { readonly call: number; readonly when: 'before' | 'after' };

const mortal = <Port extends object>(port: Port, step: (run: () => Promise<unknown>) => Promise<unknown>): Port =>
  Object.fromEntries(
    Object.entries(port).map(([name, method]) => [name, (...parameters: unknown[]) => step(() => (method as AnyFunction)(...parameters))]),
  ) as Port;

/** accept-policy with everything around it in memory. */
export const createHouse = (resolution: LookedUp = account) => {
  const memory = createMemoryStore();
  const told: string[] = [];
  const toldWritten: (number | undefined)[] = [];
  const announced: Announcement[] = [];
  const counted: string[] = [];
  const asked: Names[] = [];
  let nowMs = 1_800_000_000_000;
  let death: Death | undefined;
  let calls = 0;

  const step = async (run: () => Promise<unknown>): Promise<unknown> => {
    calls += 1;
    const dying = death?.call === calls ? death.when : undefined;
    if (dying === 'before') throw new Error('killed');
    const result = await run();
    if (dying === 'after') throw new Error('killed');
    return result;
  };
  const lookUp = async (names: Names): Promise<LookedUp> => {
    asked.push(names);
    return resolution;
  };
  const ports: AcceptPolicyPorts = {
    store: mortal(memory.store, step),
    resolver: mortal({ lookUp }, step),
    changes: mortal(
      {
        tell: async (group: string, _: number, writtenAtMs?: number) => {
          told.push(group);
          toldWritten.push(writtenAtMs);
        },
      },
      step,
    ),
    announcer: mortal({ announce: async (events: readonly Announcement[]) => void announced.push(...events) }, step),
    clock: { now: () => (nowMs += 1) },
    telemetry: { count: (metric) => void counted.push(metric) },
  };
  return {
    ...memory,
    ports,
    told,
    toldWritten,
    announced,
    counted,
    asked,
    accept: (group = 'workers', others: readonly string[] = [], writtenAtMs?: number): Promise<Outcome> =>
      acceptPolicy(group, ports, { others, ...(writtenAtMs !== undefined && { writtenAtMs }) }),
    /** Time passes. */
    wait: (ms: number): void => {
      nowMs += ms;
    },
    /** Port calls since the last call of this. */
    callsMade: (): number => {
      const made = calls;
      calls = 0;
      return made;
    },
    dieAt: (next: Death | undefined): void => {
      death = next;
      calls = 0;
    },
  };
};

export type House = ReturnType<typeof createHouse>;
