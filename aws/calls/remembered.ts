/** More keys than this are not worth their memory: all are forgotten then. */
const mostRemembered = 10_000;

/** What an environment has done or seen, by client. Lost with the environment, so it may only save work. */
export type Remembered<Client> = {
  readonly has: (client: Client, key: string) => boolean;
  readonly add: (client: Client, keys: readonly string[]) => void;
};

export const remembered = <Client extends object>(): Remembered<Client> => {
  const byClient = new WeakMap<Client, Set<string>>();
  return {
    has: (client, key) => byClient.get(client)?.has(key) === true,
    add: (client, keys) => {
      const known = byClient.get(client) ?? new Set();
      if (known.size > mostRemembered) known.clear();
      for (const key of keys) known.add(key);
      byClient.set(client, known);
    },
  };
};
