import { rememberedByKey } from '../../aws/calls/remembered.ts';
import { failsSinceMs, type Trouble } from '../../core/times/again.ts';

/** What fails again and again in this environment, by client and name. Lost with the environment. */
export type InVain<Client> = {
  /** Notes a failure. Returns for how long it has failed, in milliseconds. */
  readonly noteMs: (client: Client, name: string, nowMs: number) => number;
  /** What fails now. Undefined: nothing is known to fail. */
  readonly known: (client: Client, name: string) => Trouble | undefined;
  /** Notes a success. */
  readonly end: (client: Client, name: string) => void;
};

export const inVain = <Client extends object>(): InVain<Client> => {
  const troubles = rememberedByKey<Client, Trouble>();
  return {
    noteMs: (client, name, nowMs) => {
      const known = troubles(client);
      const sinceMs = failsSinceMs(known.get(name), nowMs);
      known.set(name, { sinceMs, untilMs: nowMs });
      return nowMs - sinceMs;
    },
    known: (client, name) => troubles(client).get(name),
    end: (client, name) => void troubles(client).delete(name),
  };
};
