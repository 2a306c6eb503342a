import { connect } from 'node:net';
import { assemble } from '../../assembly/assemble.ts';
import { createControlDoor, startSandbox } from '../../sandbox/door.ts';
import { createDraw, type Draw } from './draw.ts';
import { houseSpec } from './house.ts';
import { disfigured, mutated } from './mutate.ts';
import { nasty, nastyText } from './nasties.ts';

type Knock = { readonly method: string; readonly path: string; readonly body?: string };

/** Numbers that fit every schema and no clock. */
const extremes = [1e308, 8.64e15, 2 ** 53, 1e12];

const bodiesFor = (spot: string): readonly (readonly [string, string, unknown])[] => [
  ['POST', '/_sandbox/interrupt', { instanceIds: ['i-0123456789abcdef0'], notice: 120, silent: false, action: 'terminate' }],
  ...extremes.flatMap((extreme): (readonly [string, string, unknown])[] => [
    ['POST', '/_sandbox/interrupt', { instanceIds: [spot], notice: extreme }],
    ['PUT', '/_sandbox/offerings/m7g.large/eu-west-1a/spot', { capacity: 0, priceUsdPerHour: extreme, reclaim: extreme }],
    ['POST', '/_sandbox/faults', [{ kind: 'delay', on: 'call', delayMs: extreme, times: 1 }]],
    [
      'POST',
      '/_sandbox/faults',
      [
        { kind: 'reorder', on: 'event', withinMs: extreme },
        { kind: 'duplicate', on: 'event', copies: extreme },
      ],
    ],
    ['POST', '/_sandbox/faults', [{ kind: 'lose-answer', on: 'call', as: 'timeout', afterMs: extreme }]],
  ]),
  ['POST', '/_sandbox/rebalance', { instanceIds: ['i-0123456789abcdef0'] }],
  ['POST', '/_sandbox/kill', { instanceIds: ['i-0123456789abcdef0'] }],
  ['POST', '/_sandbox/events', { source: 'aws.ec2', 'detail-type': 'EC2 Instance Rebalance Recommendation', detail: { 'instance-id': 'i-1' } }],
  ['PUT', '/_sandbox/offerings/m7g.none/eu-west-1a/spot', { capacity: 0, priceUsdPerHour: 0.01, reclaim: 1 }],
  ['POST', '/_sandbox/faults', [{ kind: 'delay', on: 'event', delayMs: 1, match: { source: 'nobody' } }]],
  ['POST', '/_sandbox/faults', { faults: [{ kind: 'throttle', on: 'call', match: { service: 'nothing' }, probability: 0.5 }] }],
];

const paths = [
  '/_sandbox/%',
  '/_sandbox/%E0%A4%A',
  '/_sandbox/offerings/%/%/spot',
  '/_sandbox//',
  '/_sandbox/../..',
  '/_sandbox/state?%',
  '/_sandbox?x=%zz',
  '/_sandbox/calls?sinceMs=NaN',
];

const knockOf = (spot: string, draw: Draw): Knock => {
  const [method, path, body] = draw.pick(bodiesFor(spot));
  return draw.pick<() => Knock>([
    () => ({ method, path, body: JSON.stringify(body) }),
    () => ({ method, path, body: JSON.stringify(mutated(body, draw)) }),
    () => ({ method, path, body: disfigured(JSON.stringify(body), draw) }),
    () => ({ method, path, body: JSON.stringify(nasty(draw)) }),
    () => ({ method, path, body: nastyText(draw) }),
    () => ({ method: draw.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']), path: draw.pick(paths), body: 'x' }),
    () => ({ method, path: `${path}/${encodeURIComponent(nastyText(draw).toWellFormed().slice(0, 2_000))}`, body: '{}' }),
  ])();
};

const knock = async (url: string, { method, path, body }: Knock): Promise<number> => {
  const response = await fetch(`${url}${path}`, { method, ...(method === 'GET' || body === undefined ? {} : { body }) });
  await response.text();
  return response.status;
};

/** What no HTTP client would send. */
const rawTexts = [
  'GET /_sandbox/state HTTP/9.9\r\n\r\n',
  '\u0000\u0001\u0002',
  'POST /_sandbox/events HTTP/1.1\r\ncontent-length: 99\r\n\r\n{',
  `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
  'GET //[ HTTP/1.1\r\nhost: x\r\n\r\n',
];

const sendRaw = (port: number, text: string): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    socket.on('data', () => undefined).on('error', () => resolve());
    socket.on('close', () => resolve());
    setTimeout(() => socket.destroy(), 300).unref();
  });

export type Knocked = {
  readonly statuses: Readonly<Record<string, number>>;
  readonly errors: readonly string[];
  readonly odd: readonly string[];
  readonly answersAtLast: number;
  readonly huge: number;
};

const knockOn = async (url: string, count: number, seed: number, errors: readonly string[]): Promise<Knocked> => {
  const draw = createDraw(seed, 'knocks');
  const { instances } = (await (await fetch(`${url}/_sandbox/state`)).json()) as { instances: readonly { id: string; market: string }[] };
  const spot = instances.find(({ market }) => market === 'spot')?.id ?? 'i-0123456789abcdef0';
  const statuses: Record<string, number> = {};
  const odd: string[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const one = knockOf(spot, draw);
    const status = await knock(url, one);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status >= 500) odd.push(`${status} ${one.method} ${one.path} ${String(one.body).slice(0, 300)}`);
  }
  for (const text of rawTexts) await sendRaw(Number(new URL(url).port), text);
  const huge = await knock(url, { method: 'POST', path: '/_sandbox/events', body: 'x'.repeat(20_000_000) }).catch(() => 413);
  return { statuses, errors, odd, huge, answersAtLast: await knock(url, { method: 'GET', path: '/_sandbox/clock' }) };
};

/** Sends so many requests to the control door that it must refuse or bear, and tells what it answered and whether it still stands. */
export const knockOnDoor = async (count: number, seed: number): Promise<Knocked> => {
  const errors: string[] = [];
  const sandbox = await startSandbox({
    mode: 'live',
    spec: houseSpec,
    assembly: await assemble(),
    control: (running) => createControlDoor(running),
    onError: (error) => void errors.push(String((error as Error).stack ?? error)),
  });
  try {
    return await knockOn(sandbox.url ?? '', count, seed, errors);
  } finally {
    await sandbox.close();
  }
};
