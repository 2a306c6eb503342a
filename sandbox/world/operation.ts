import type { ApiService, Caller } from '../api.ts';

export type Operations = ApiService['operations'];

/** The wire has decoded the input by the operation's own schema: here it gets its type. */
export const operation =
  <Input>(run: (input: Input, caller: Caller) => unknown) =>
  (input: Record<string, unknown>, caller: Caller): unknown =>
    run(input as Input, caller);

/** The response to many actions of EC2 and Auto Scaling is only a request id. */
export const nothing = {};
