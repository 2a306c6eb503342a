/** More keys than this are not worth their memory. */
export const mostRemembered = 10_000;

/** What an environment has done or seen, by client. Lost with the environment, so it may only save work. */
export type Remembered<Client> = {
  readonly has: (client: Client, key: string) => boolean;
  readonly add: (client: Client, keys: readonly string[]) => void;
};

/** One value for each client of an environment, made at its first use. */
export const perClient = <Client extends object, Value>(create: () => Value): ((client: Client) => Value) => {
  const values = new WeakMap<Client, Value>();
  return (client) => {
    const value = values.get(client) ?? create();
    values.set(client, value);
    return value;
  };
};

/** Values by key, for each client. Where they are too many at a use, all are forgotten. */
export const rememberedByKey = <Client extends object, Value>(): ((client: Client) => Map<string, Value>) => {
  const valuesOf = perClient<Client, Map<string, Value>>(() => new Map());
  return (client) => {
    const known = valuesOf(client);
    if (known.size > mostRemembered) known.clear();
    return known;
  };
};

/** Keys by client. Where they are too many, all are forgotten. */
export const remembered = <Client extends object>(): Remembered<Client> => {
  const keysOf = perClient<Client, Set<string>>(() => new Set());
  return {
    has: (client, key) => keysOf(client).has(key),
    add: (client, keys) => {
      const known = keysOf(client);
      if (known.size > mostRemembered) known.clear();
      for (const key of keys) known.add(key);
    },
  };
};
