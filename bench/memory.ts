import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { assemble } from '../assembly/assemble.ts';
import { type Sandbox, startSandbox } from '../sandbox/door.ts';
import { runtimeVariables } from '../sandbox/platform/functions/environment.ts';
import type { LiveClock } from '../sandbox/platform/live-clock.ts';
import { largeWorld } from './large-watch.ts';
import { tagged } from './many-fill.ts';
import type { Looked, LooksOrder } from './memory-looks.ts';
import { letters, type PlacedGroup, policyOf } from './storm-world.ts';

/** The memory of one environment of `react`, in megabytes. */
export type MemoryFigures = {
  readonly members: number;
  /** A process that has no more than this for what it keeps ends. */
  readonly heapMb: number;
  readonly configuredMb: number;
  readonly pageKb: number;
  readonly looks: readonly Looked[];
};

const mostWaitMs = 600_000;
const perCall = 500;
/** A first look, one that reads what changed, and one that reads everything again while the first is still kept. */
const betweenLooksMs = [0, 5_000, 80_000];

/**
 * The parts of an instance that the sandbox leaves out and EC2 shows, which are most of its size: one network interface,
 * two disks, two security groups ("DescribeInstances", response example).
 */
const likeEc2 = (id: string): string => {
  const group = '<item><groupId>sg-0f3c2a1b4d5e6f708</groupId><groupName>web-servers-of-production</groupName></item>';
  const disk = (name: string): string =>
    `<item><deviceName>${name}</deviceName><ebs><volumeId>vol-${id.slice(2)}</volumeId><status>attached</status>` +
    '<attachTime>2026-01-01T00:00:00.000Z</attachTime><deleteOnTermination>true</deleteOnTermination></ebs></item>';
  const face =
    `<item><networkInterfaceId>eni-${id.slice(2)}</networkInterfaceId><subnetId>subnet-0a1b2c3d4e5f60718</subnetId>` +
    '<vpcId>vpc-0a1b2c3d4e5f60718</vpcId><description/><ownerId>123456789012</ownerId><status>in-use</status>' +
    '<macAddress>0a:1b:2c:3d:4e:5f</macAddress><privateIpAddress>10.0.12.34</privateIpAddress>' +
    '<privateDnsName>ip-10-0-12-34.ec2.internal</privateDnsName><sourceDestCheck>true</sourceDestCheck>' +
    `<groupSet>${group}${group}</groupSet><attachment><attachmentId>eni-attach-${id.slice(2)}</attachmentId>` +
    '<deviceIndex>0</deviceIndex><status>attached</status><attachTime>2026-01-01T00:00:00.000Z</attachTime>' +
    '<deleteOnTermination>true</deleteOnTermination><networkCardIndex>0</networkCardIndex></attachment>' +
    '<privateIpAddressesSet><item><privateIpAddress>10.0.12.34</privateIpAddress>' +
    '<privateDnsName>ip-10-0-12-34.ec2.internal</privateDnsName><primary>true</primary></item></privateIpAddressesSet>' +
    '<interfaceType>interface</interfaceType></item>';
  return (
    '<dnsName/><rootDeviceName>/dev/xvda</rootDeviceName><hypervisor>xen</hypervisor>' +
    `<blockDeviceMapping>${disk('/dev/xvda')}${disk('/dev/sdf')}</blockDeviceMapping>` +
    `<groupSet>${group}${group}</groupSet><networkInterfaceSet>${face}</networkInterfaceSet>` +
    '<iamInstanceProfile><arn>arn:aws:iam::123456789012:instance-profile/web-servers-of-production</arn>' +
    '<id>AIPAJNQ4EXAMPLE123456</id></iamInstanceProfile><enaSupport>true</enaSupport><ebsOptimized>true</ebsOptimized>' +
    '<metadataOptions><state>applied</state><httpTokens>required</httpTokens><httpEndpoint>enabled</httpEndpoint>' +
    '<httpPutResponseHopLimit>2</httpPutResponseHopLimit></metadataOptions>'
  );
};

const isHopByHop = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);
const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (isHopByHop.has(name) ? [] : [[name, String(value)]])));

/** Passes calls on to the sandbox, and makes instances as large as EC2 shows them. Returns the largest page. */
const enlarging = async (url: string): Promise<{ readonly server: Server; readonly largestPage: () => number }> => {
  let largest = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answer = await fetch(new URL(request.url ?? '/', url), { method: request.method ?? 'POST', headers: headersOf(request), body });
    const plain = await answer.text();
    const isPage = plain.includes('<DescribeInstancesResponse');
    const sent = isPage ? plain.replaceAll(/<instanceId>([^<]*)<\/instanceId>/g, (all, id: string) => `${all}${likeEc2(id)}`) : plain;
    if (isPage) largest = Math.max(largest, sent.length);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(sent);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, largestPage: () => largest };
};

/** The first call of `react` by a tick that reached the group. */
const tickOf = (sandbox: Sandbox) =>
  sandbox.invocations().find(({ functionName, event }) => functionName.endsWith('-react') && JSON.stringify(event).includes('Holdfast Tick'));

/** Has so many members by tag that run, with a policy that a tick has reached. */
const bringUp = async (sandbox: Sandbox, group: PlacedGroup): Promise<void> => {
  const { cloud, world, clock } = sandbox;
  for (const letter of letters)
    for (let missing = Math.ceil(group.size / letters.length); missing > 0; missing -= perCall) {
      world.restLaunches();
      const [service, operation, input] = tagged(group, letter, Math.min(perCall, missing));
      await cloud.call({ service, operation, input, caller: { kind: 'operator' } });
      await clock.sleep(600);
    }
  await sandbox.putPolicy(policyOf(group, world.snapshot().targetGroups[0]?.arn ?? ''));
  const running = (): number => world.snapshot().instances.filter(({ state }) => state === 'running').length;
  for (let waitedMs = 0; running() < group.size || tickOf(sandbox) === undefined; waitedMs += 5_000) {
    if (waitedMs > mostWaitMs)
      throw new Error(`The memory cannot be measured: after ${waitedMs / 1_000} s, ${running()} of ${group.size} members run.`);
    await clock.sleep(5_000);
  }
};

/** Has one environment of `react` look at the group, in a process with a bound of its memory. */
const look = async (order: LooksOrder, environment: Readonly<Record<string, string>>, heapMb: number): Promise<readonly Looked[]> => {
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMb}`, '--expose-gc', join(import.meta.dirname, 'memory-looks.ts')], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(JSON.stringify(order));
  const [said, log, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const last = said.trimEnd().split('\n').at(-1) ?? '';
  const failed = `${log}\n${said}`.split('\n').find((line) => line.includes('"level":"ERROR"'));
  if (failed !== undefined) throw new Error(`A look failed, so its memory is not that of a look: ${failed.slice(0, 600)}`);
  if (code !== 0) throw new Error(`The process with ${heapMb} MB ended with code ${code}: ${log.slice(-600)}`);
  return JSON.parse(last) as readonly Looked[];
};

/** The memory that looks at one large group by tag take, in a process with half of the configured memory. */
export const playMemory = async (members: number, heapMb?: number): Promise<MemoryFigures> => {
  await assemble();
  const group: PlacedGroup = { name: 'large', holding: 'tag', size: members };
  const sandbox = await startSandbox({ mode: 'live', spec: largeWorld([group]) });
  const { server, largestPage } = await enlarging(sandbox.url ?? '');
  try {
    await bringUp(sandbox, group);
    const spec = sandbox.platform.functions.specs.find(({ name }) => name.endsWith('-react'));
    const tick = tickOf(sandbox);
    if (spec === undefined || tick === undefined) throw new Error('There is no react function that a tick has reached.');
    const { originMs, wallOriginMs, factor } = sandbox.clock as LiveClock;
    const bound = heapMb ?? spec.memoryMb / 2;
    const order = { file: spec.file, name: spec.name, time: { originMs, wallOriginMs, factor }, event: tick.event, betweenMs: betweenLooksMs };
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const credentials = { AWS_ACCESS_KEY_ID: spec.role, AWS_SECRET_ACCESS_KEY: 'sandbox', AWS_SESSION_TOKEN: 'measured' };
    const environment = { ...runtimeVariables(spec, sandbox.place.region), ...spec.variables, ...credentials, AWS_ENDPOINT_URL: endpoint };
    const looks = await look(order, environment, bound);
    return { members, heapMb: bound, configuredMb: spec.memoryMb, pageKb: Math.round(largestPage() / 1_000), looks };
  } finally {
    server.close();
    await sandbox.close();
  }
};
