import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cloud } from './cloud.ts';
import type { WireRequest } from './wire/http.ts';

export type ServeOptions = {
  readonly cloud: Pick<Cloud, 'handleHttp'>;
  /** 0 takes any free port. */
  readonly port: number;
  /** Handles everything under `/_sandbox/`. */
  readonly control?: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
};

export type ServedCloud = {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  /** Stops listening and cuts what is still connected. */
  close(): Promise<void>;
};

const controlPrefix = '/_sandbox';

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const toWire = async (request: IncomingMessage): Promise<WireRequest> => {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : (value ?? '')]);
  return { method: request.method ?? 'POST', path, query, headers: Object.fromEntries(headers), body: await readBody(request) };
};

const isControl = (url: string): boolean => url === controlPrefix || url.startsWith(`${controlPrefix}/`) || url.startsWith(`${controlPrefix}?`);

/** For a lost response and for a killed caller, the connection is cut. */
const answerCall = async (cloud: ServeOptions['cloud'], request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const answer = await cloud.handleHttp(await toWire(request));
  if (answer.kind !== 'answer') {
    request.socket.destroy();
    return;
  }
  const { status, headers, body } = answer.response;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
};

const refuse = (response: ServerResponse, status: number, message: string): void => {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: message }));
};

/**
 * Serves the cloud on loopback: AWS calls at any path, the control door under `/_sandbox/`.
 * @throws when the port is taken.
 */
export const serveHttp = async ({ cloud, port, control }: ServeOptions): Promise<ServedCloud> => {
  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isControl(request.url ?? '/')) return answerCall(cloud, request, response);
    if (control === undefined) return refuse(response, 404, 'This sandbox has no control door.');
    await control(request, response);
  };
  const server = createServer((request, response) => {
    route(request, response).catch((error: unknown) => refuse(response, 500, error instanceof Error ? error.message : String(error)));
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
};
