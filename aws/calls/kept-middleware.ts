type Handler = (command: object) => Promise<{ readonly output: unknown }>;
type Stack = { identify(): readonly string[] };

/** The part of an SDK client that this needs, whichever service it is for. */
type Client = { readonly middlewareStack: object; readonly config: object };

type Command = {
  readonly middlewareStack: Stack;
  /** Of a command of the document client: the command that it sends. */
  clientCommand?: unknown;
  resolveMiddleware(stack: object, config: object, options: object | undefined): Handler;
};

const noOptions = {};

/** Handlers of a document client send what the command wraps that they were made for. So that command takes it over. */
const sending =
  (first: Command, handler: Handler) =>
  (command: Command): ReturnType<Handler> => {
    if (first.clientCommand !== undefined) first.clientCommand = command.clientCommand;
    return handler(command);
  };

/**
 * Has a client put its middleware together once for each kind of command and each options object. The SDK does that at
 * every call. A command with middleware of its own gets its own. Middleware that is added to the client after the first
 * call of a kind has no effect on that kind.
 */
export const keepingMiddleware = <C extends Client>(client: C): C => {
  const kept = new WeakMap<object, WeakMap<object, ReturnType<typeof sending>>>();
  const handlerFor = (command: Command, options: object | undefined): ReturnType<typeof sending> => {
    const make = () => sending(command, command.resolveMiddleware(client.middlewareStack, client.config, options));
    if (command.middlewareStack.identify().length > 0) return make();
    const handlers = kept.get(options ?? noOptions) ?? new WeakMap<object, ReturnType<typeof sending>>();
    kept.set(options ?? noOptions, handlers);
    const handler = handlers.get(command.constructor) ?? make();
    handlers.set(command.constructor, handler);
    return handler;
  };
  const send = (command: Command, options?: object): Promise<unknown> =>
    handlerFor(command, options)(command).then(({ output }) => output);
  return Object.assign(client, { send });
};
