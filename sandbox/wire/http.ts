/** A request as it came over the wire, or straight from an SDK client in the same process. */
export type WireRequest = {
  readonly method: string;
  readonly path: string;
  /** Query string without the question mark. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type WireResponse = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string };
