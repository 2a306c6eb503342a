import type { Cloud } from './cloud.ts';
import type { WireRequest } from './wire/http.ts';
import { isValueRequest, type ValueAnswer, type ValueRequest } from './wire/in-memory.ts';

/** The part of an SDK request that this handler reads. */
type SdkRequest = {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
};
type SdkResponse = { readonly statusCode: number; readonly headers: Record<string, string>; readonly body: Uint8Array };
/** Requests of clients with the in-memory protocol are values, and so are their responses. */
type Answered = { readonly response: SdkResponse | ValueAnswer };

/** A `requestHandler` for SDK v3 clients that calls the cloud in the same process. */
export type DirectHandler = {
  handle(request: SdkRequest | ValueRequest, options?: { readonly abortSignal?: AbortSignal }): Promise<Answered>;
  destroy(): void;
  httpHandlerConfigs(): Record<string, never>;
  updateHttpClientConfig(): void;
};

const bodyText = (body: unknown): string => {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  throw new TypeError('The direct handler reads strings and bytes, not streams');
};

const queryText = (query: SdkRequest['query'] = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value ?? ''].flat().map((item): [string, string] => [name, item]));
  return new URLSearchParams(pairs).toString();
};

const toWire = (request: SdkRequest): WireRequest => ({
  method: request.method,
  path: request.path,
  query: queryText(request.query),
  headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])),
  body: bodyText(request.body),
});

/** The errors of the SDK's own Node handler. The SDK treats both as transient, and sends the same request again. */
const lostAnswer = (as: 'reset' | 'timeout'): Error =>
  as === 'timeout'
    ? Object.assign(new Error('The request timed out: no answer came'), { name: 'TimeoutError', code: 'ETIMEDOUT' })
    : Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', errno: -104, syscall: 'read' });

const aborted = (): Error => Object.assign(new Error('Request aborted'), { name: 'AbortError' });

/**
 * Never resolves, because the code of a killed function must not run on, not even its error handling. Each call gets its own promise, because a shared one
 * would keep everything in memory that ever waited for it.
 */
const neverEnds = (): Promise<never> => new Promise(() => undefined);

export type DirectHandlerOptions = {
  /** After this has returned false, no call is carried out, and none settles. */
  readonly isAlive?: () => boolean;
  /** Session token of the environment that calls, where requests carry no headers. */
  readonly environment?: string;
};

/**
 * One handler belongs to one execution environment. After a fault has killed the caller, that call never settles, and later calls neither settle nor reach the
 * cloud. The cloud calls `crashCaller` for the owner of the environment.
 */
export const createDirectHandler = (
  cloud: Pick<Cloud, 'handleHttp' | 'handleValues'>,
  accessKeyId: string,
  options: DirectHandlerOptions = {},
): DirectHandler => {
  let hasCrashed = false;
  const isDead = (): boolean => hasCrashed || options.isAlive?.() === false;
  const send: DirectHandler['handle'] = async (request) => {
    const answer = await (isValueRequest(request)
      ? cloud.handleValues(request, accessKeyId, options.environment)
      : cloud.handleHttp(toWire(request), accessKeyId));
    if (answer.kind === 'crashed') hasCrashed = true;
    if (isDead() || answer.kind === 'crashed') return neverEnds();
    if (answer.kind === 'lost') throw lostAnswer(answer.as);
    if (!('body' in answer.response)) return { response: answer.response };
    const { status, headers, body } = answer.response;
    return { response: { statusCode: status, headers: { ...headers }, body: new Uint8Array(Buffer.from(body, 'utf8')) } };
  };
  return {
    handle: async (request, { abortSignal } = {}) => {
      if (isDead()) return neverEnds();
      if (abortSignal === undefined) return send(request);
      if (abortSignal.aborted) throw aborted();
      const abortion = Promise.withResolvers<never>();
      const onAbort = (): void => abortion.reject(aborted());
      abortSignal.addEventListener('abort', onAbort, { once: true });
      try {
        return await Promise.race([send(request), abortion.promise]);
      } finally {
        abortSignal.removeEventListener('abort', onAbort);
      }
    },
    destroy: () => undefined,
    httpHandlerConfigs: () => ({}),
    updateHttpClientConfig: () => undefined,
  };
};
