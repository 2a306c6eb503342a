import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Stage } from '../scenario/stage.ts';
import { shapeProblems } from '../shape.ts';
import { callsQuery, eventBody, faultsBody, instancesBody, interruptBody, offeringBody } from './control-schema.ts';

/** What a route returns: a status and a JSON body. */
type Answer = { readonly status: number; readonly body: unknown };
type Route = {
  readonly method: string;
  /** With a name in braces for every part that varies: `/_sandbox/offerings/{type}/{zone}/{market}`. */
  readonly path: string;
  readonly about: string;
  readonly answer: (parts: readonly string[], body: unknown, query: URLSearchParams) => Answer | Promise<Answer>;
};

const ok = (body: unknown): Answer => ({ status: 200, body });
const doneTo = (asked: readonly string[], unknown: readonly string[], wanted: string): Answer =>
  unknown.length === asked.length
    ? {
        status: 404,
        body: { error: `None of these is a running ${wanted}: ${unknown.join(', ')}. Nothing was changed. GET /_sandbox/state lists what runs.` },
      }
    : ok({ done: asked.filter((id) => !unknown.includes(id)), unknown });

const readRoutes = (stage: Stage): readonly Route[] => [
  {
    method: 'GET',
    path: '/_sandbox/state',
    about: 'the world, the tables, executions and messages',
    answer: async () =>
      ok({
        ...stage.world.snapshot(),
        groups: await stage.items('groups'),
        state: await stage.items('state'),
        executions: stage.executions(),
        deadLetters: stage.deadLetters(),
        cost: stage.world.cost(),
      }),
  },
  {
    method: 'GET',
    path: '/_sandbox/calls',
    about: 'AWS calls made, newest last; filters: service, operation, caller, outcome, sinceMs',
    answer: (_, __, query) => {
      const filter = callsQuery.safeParse(Object.fromEntries(query));
      if (!filter.success) return { status: 400, body: { error: `The filter is not valid. ${shapeProblems(filter.error)}` } };
      return ok({ calls: stage.callLog.calls(filter.data), counts: stage.callLog.counts(), mutatingCalls: stage.callLog.mutatingCalls() });
    },
  },
  {
    method: 'GET',
    path: '/_sandbox/clock',
    about: 'world time',
    answer: () => {
      const nowMs = stage.clock.now();
      return ok({ nowMs, now: new Date(nowMs).toISOString() });
    },
  },
];

const writeRoutes = (stage: Stage): readonly Route[] => [
  {
    method: 'POST',
    path: '/_sandbox/interrupt',
    about: '{instanceIds, notice?, silent?, action?}: EC2 takes spot instances',
    answer: (_, body) => {
      const { instanceIds, notice, silent, action } = interruptBody.parse(body);
      return doneTo(instanceIds, stage.world.interrupt(instanceIds, { noticeMs: notice, silent, action }).unknown, 'spot instance');
    },
  },
  {
    method: 'POST',
    path: '/_sandbox/rebalance',
    about: '{instanceIds}: EC2 recommends to rebalance them',
    answer: (_, body) => {
      const { instanceIds } = instancesBody.parse(body);
      return doneTo(instanceIds, stage.world.recommendRebalance(instanceIds).unknown, 'spot instance');
    },
  },
  {
    method: 'POST',
    path: '/_sandbox/kill',
    about: '{instanceIds}: they end without any warning',
    answer: (_, body) => {
      const { instanceIds } = instancesBody.parse(body);
      const unknown = instanceIds.filter((id) => !stage.world.kill(id));
      return doneTo(instanceIds, unknown, 'instance');
    },
  },
  {
    method: 'POST',
    path: '/_sandbox/events',
    about: 'an event, as a service of AWS would put it on the bus',
    answer: (_, body) => {
      stage.emitEvent(eventBody.parse(body));
      return ok({ accepted: true });
    },
  },
  {
    method: 'PUT',
    path: '/_sandbox/offerings/{type}/{zone}/{market}',
    about: '{capacity?, priceUsdPerHour?, reclaim?}: what an offering gives from now on',
    answer: ([instanceType = '', zone = '', market = ''], body) => {
      const { reclaim, ...change } = offeringBody.parse(body);
      const offering = { instanceType, zone, market: market as 'spot' | 'on-demand' };
      const known = stage.world.setOffering(offering, {
        ...(change.capacity === undefined ? {} : { capacity: change.capacity }),
        ...(change.priceUsdPerHour === undefined ? {} : { priceUsdPerHour: change.priceUsdPerHour }),
        ...(reclaim === undefined ? {} : { reclaim: { noticeMs: reclaim } }),
      });
      if (known) return ok({ ...offering, ...change });
      const names = stage.world.snapshot().offerings.map((one) => `${one.instanceType}/${one.zone}/${one.market}`);
      return {
        status: 404,
        body: { error: `There is no offering ${instanceType}/${zone}/${market}. Nothing was changed. There are: ${names.join(', ')}.` },
      };
    },
  },
  {
    method: 'POST',
    path: '/_sandbox/faults',
    about: 'a list of faults: replaces those that are set, an empty list clears them',
    answer: (_, body) => {
      const faults = faultsBody.parse(body);
      stage.setFaults(faults);
      return ok({ faults });
    },
  },
];

const largestBodyBytes = 1_000_000;

const readBody = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    // A request that is too large is still read to its end, because most clients lose a response in the middle of a request.
    if (bytes <= largestBodyBytes) parts.push(part as Buffer);
  }
  if (bytes > largestBodyBytes) throw new BadRequest(`The body has ${bytes} bytes; at most ${largestBodyBytes} are read. Nothing was changed.`);
  return Buffer.concat(parts).toString('utf8');
};

const parseBody = (text: string): unknown => {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadRequest(`The body is not JSON: ${(error as Error).message}. Nothing was changed.`);
  }
};

class BadRequest extends Error {
  override readonly name = 'BadRequest';
}

const send = (response: ServerResponse, { status, body }: Answer): void => {
  const text = JSON.stringify(body, undefined, 2);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${text}\n`);
};

const problem = (error: unknown): Answer => {
  if (error instanceof z.ZodError) return { status: 400, body: { error: `The body is not valid; nothing was changed. ${shapeProblems(error)}` } };
  if (error instanceof BadRequest) return { status: 400, body: { error: error.message } };
  return { status: 500, body: { error: `The sandbox failed: ${(error as Error).message}` } };
};

/** What is in the braces of a route's path, or undefined when the path is another. */
const partsOf = (path: string, asked: string): readonly string[] | undefined => {
  const names = path.split('/');
  const parts = asked.split('/');
  const fits = names.length === parts.length && names.every((name, index) => name.startsWith('{') || name === parts[index]);
  return fits ? parts.filter((_, index) => names[index]?.startsWith('{')).map(decoded) : undefined;
};

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new BadRequest(`${part} is no part of a path: a % stands before two hexadecimal digits. Nothing was changed.`);
  }
};

/** Handles requests below `/_sandbox/`, which read and change the world. docs/sandbox.md has their shapes. */
export const createControlDoor = (stage: Stage): ((request: IncomingMessage, response: ServerResponse) => Promise<void>) => {
  const routes = [...readRoutes(stage), ...writeRoutes(stage)];
  const listing = routes.map(({ method, path, about }) => `${method} ${path}: ${about}`);
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const url = new URL(request.url ?? '/', 'http://sandbox');
    const path = url.pathname.replace(/\/$/, '');
    if (path === '/_sandbox' && request.method === 'GET') return ok({ routes: listing });
    for (const route of routes) {
      const parts = route.method === request.method ? partsOf(route.path, path) : undefined;
      if (parts === undefined) continue;
      const body = request.method === 'GET' ? undefined : parseBody(await readBody(request));
      return route.answer(parts, body, url.searchParams);
    }
    return { status: 404, body: { error: `There is no ${request.method} ${url.pathname} here.`, routes: listing } };
  };
  return async (request, response) => send(response, await answer(request).catch(problem));
};
