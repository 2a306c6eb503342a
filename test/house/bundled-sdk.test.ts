import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { build, type Plugin } from 'esbuild';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { compactErrors, compactSdkErrors } from '../../assembly/compact-sdk-errors.ts';
import { compactQueryErrors, inlineRareNames, markSchemasPure, pureSdkSchemas, withoutPlainErrors } from '../../assembly/pure-sdk-schemas.ts';
import { usedMembers, withUsedMembers } from '../../assembly/used-members.ts';
import type { FleetLaunchTemplateOverrides, FleetLaunchTemplateOverridesRequest, Instance, InstanceStatus } from '../../aws/calls/ec2-shapes.ts';

const clients = ['auto-scaling', 'dynamodb', 'elastic-load-balancing-v2', 'eventbridge', 'sfn', 'sqs'] as const;
const moduleOf = (client: string, ...path: readonly string[]): string =>
  join(dirname(createRequire(import.meta.url).resolve(`@aws-sdk/client-${client}/package.json`)), 'dist-es', ...path);

describe('leaving unused SDK schemas out of bundles', () => {
  test('a schema declaration becomes a call without side effects and keeps its value', () => {
    const marked = markSchemasPure('export var CreateFleet$ = [9, n0, _CF,\n    0, () => In, () => Out\n];\n');
    expect(marked).toBe('export var CreateFleet$ = /* @__PURE__ */ (() => ([9, n0, _CF,\n    0, () => In, () => Out\n]))();\n');
  });

  test.each(['ec2', ...clients])('it still fits what the %s client looks like', async (client) => {
    const source = await readFile(moduleOf(client, 'schemas', 'schemas_0.js'), 'utf8');
    const marked = markSchemasPure(source).match(/@__PURE__/g)?.length ?? 0;
    const declared = source.match(/^(?:export )?var [\w$]+\$? = \[/gm)?.length ?? 0;
    expect(declared).toBeGreaterThan(50);
    expect(marked).toBe(declared);
  });
});

type Module = Readonly<Record<string, unknown>>;

const builtWith = async (entryPoint: string, plugins: readonly Plugin[]): Promise<Module> => {
  const { outputFiles } = await build({
    entryPoints: [entryPoint],
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    write: false,
    plugins: [...plugins],
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? '').toString('base64')}`);
};

type Schema = readonly [kind: number, namespace: string, name: string, ...rest: readonly unknown[]];

/** A structure without the members that functions do not use. Other schemas stay as they are. */
const used = (schema: unknown): unknown => {
  const [kind, namespace, name = '', traits, members, kinds, ...rest] = schema as Schema;
  const left = (usedMembers as Readonly<Record<string, readonly unknown[]>>)[name];
  if (kind !== 3 || left === undefined || !Array.isArray(members) || !Array.isArray(kinds)) return schema;
  const isLeft = (_: unknown, index: number): boolean => left.includes(members[index]);
  return [kind, namespace, name, traits, members.filter(isLeft), kinds.filter(isLeft), ...rest];
};

/** All that a schema says, and the schemas that it refers to, each written out the first time it is met. */
const spelled = (schema: unknown, met: Set<string>): string =>
  JSON.stringify(used(schema), (_, value) => {
    if (typeof value !== 'function') return value;
    const other = (value as () => Schema | number)();
    if (typeof other === 'number' || met.has(other[2])) return `refers to ${typeof other === 'number' ? other : other[2]}`;
    met.add(other[2]);
    return spelled(other, met);
  });

describe('writing rare names of SDK schemas where they are used', () => {
  test('a name used up to three times is written out, one used more often stays', () => {
    const often = '_b, _b, _b, _b';
    const source = `const _a = "Rare";\nconst _b = "Often";\nexport var One$ = [3, _a, { [_a]: _a }, ${often}];\n`;
    expect(inlineRareNames(source)).toBe(`const _b = "Often";\nexport var One$ = [3, "Rare", { ["Rare"]: "Rare" }, ${often}];\n`);
  });

  test.each(['ec2', ...clients])(
    'schemas of the %s client have the same contents as before, except for members that functions do not use',
    async (client) => {
      const file = moduleOf(client, 'schemas', 'schemas_0.js');
      const [before, after] = await Promise.all([builtWith(file, []), builtWith(file, [pureSdkSchemas])]);
      const names = Object.keys(before).filter((name) => name.endsWith('$'));
      expect(names.length).toBeGreaterThan(50);
      expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
      const met = { before: new Set<string>(), after: new Set<string>() };
      for (const name of names) expect(spelled(after[name], met.after), name).toBe(spelled(before[name], met.before));
      expect(met.after).toEqual(met.before);
      const source = await readFile(file, 'utf8');
      const rare = (source.match(/^const _/gm)?.length ?? 0) - (inlineRareNames(source).match(/^const _/gm)?.length ?? 0);
      expect(rare).toBeGreaterThan(50);
    },
  );
});

type Described = { readonly Reservations?: readonly { readonly Instances?: readonly unknown[] }[] };
type Ec2 = {
  readonly EC2Client: new (options: object) => { send(command: object): Promise<unknown> };
  readonly DescribeInstancesCommand: new (input: object) => object;
  readonly CreateFleetCommand: new (input: object) => object;
};

/** A client of EC2 as it is bundled, which records the bodies that it sends. */
const ec2With = async (plugins: readonly Plugin[], response: string) => {
  const { EC2Client, DescribeInstancesCommand, CreateFleetCommand } = (await builtWith(moduleOf('ec2', 'index.js'), plugins)) as Ec2;
  const bodies: string[] = [];
  const handle = async ({ body }: { readonly body: string }) => {
    bodies.push(body);
    return { response: { statusCode: 200, headers: {}, body: Readable.from([response]) } };
  };
  const client = new EC2Client({
    region: 'us-east-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    requestHandler: { handle },
  });
  return {
    bodies,
    describe: async () => (await client.send(new DescribeInstancesCommand({}))) as Described,
    launch: (input: object) => client.send(new CreateFleetCommand(input)),
  };
};

describe('leaving out members that functions do not use', () => {
  test('each structure of the list has exactly its used members', async () => {
    const { default: _none, ...schemas } = await builtWith(moduleOf('ec2', 'schemas', 'schemas_0.js'), [pureSdkSchemas]);
    for (const [name, members] of Object.entries(usedMembers))
      expect([...((schemas[`${name}$`] as Schema)[4] as readonly string[])].sort(), name).toEqual([...members].sort());
  });

  test('the types of what is left have the same members', () => {
    expectTypeOf<keyof Instance>().toEqualTypeOf<(typeof usedMembers.Instance)[number]>();
    expectTypeOf<keyof InstanceStatus>().toEqualTypeOf<(typeof usedMembers.InstanceStatus)[number]>();
    expectTypeOf<keyof NonNullable<InstanceStatus['SystemStatus']>>().toEqualTypeOf<(typeof usedMembers.InstanceStatusSummary)[number]>();
    expectTypeOf<keyof FleetLaunchTemplateOverrides>().toEqualTypeOf<(typeof usedMembers.FleetLaunchTemplateOverrides)[number]>();
    expectTypeOf<keyof FleetLaunchTemplateOverridesRequest>().toEqualTypeOf<(typeof usedMembers.FleetLaunchTemplateOverridesRequest)[number]>();
  });

  test('a response is read without them, and everything else of it as before', async () => {
    const instance =
      '<instanceId>i-1</instanceId><instanceState><code>16</code><name>running</name></instanceState><instanceType>m7g.large</instanceType>' +
      '<launchTime>2026-11-20T00:00:00.000Z</launchTime><placement><availabilityZone>us-east-1a</availabilityZone></placement>' +
      '<instanceLifecycle>spot</instanceLifecycle><tagSet><item><key>k</key><value>v</value></item></tagSet>' +
      '<stateReason><code>c</code><message>m</message></stateReason><vpcId>vpc-1</vpcId>' +
      '<networkInterfaceSet><item><networkInterfaceId>eni-1</networkInterfaceId></item></networkInterfaceSet>';
    const reservation = `<item><reservationId>r-1</reservationId><instancesSet><item>${instance}</item></instancesSet></item>`;
    const response = `<DescribeInstancesResponse><reservationSet>${reservation}</reservationSet></DescribeInstancesResponse>`;
    const [before, after] = await Promise.all([ec2With([], response), ec2With([pureSdkSchemas], response)]);
    const [whole, left] = [(await before.describe()).Reservations?.[0]?.Instances?.[0], (await after.describe()).Reservations?.[0]?.Instances?.[0]];
    const { VpcId, NetworkInterfaces, ...rest } = whole as Readonly<Record<string, unknown>>;
    expect([VpcId, NetworkInterfaces]).toEqual(['vpc-1', [{ NetworkInterfaceId: 'eni-1' }]]);
    expect(Object.keys(rest).sort()).toEqual([...usedMembers.Instance].sort());
    expect(left).toEqual(rest);
  });

  test('a launch is sent as before', async () => {
    const overrides = [{ InstanceType: 'm7g.large', MaxPrice: '0.05', SubnetId: 'subnet-1', Priority: 0 }];
    const input = {
      ...{
        Type: 'instant',
        ClientToken: 't',
        LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateName: 'web' }, Overrides: overrides }],
      },
      TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'spot' },
    };
    const response = '<CreateFleetResponse><fleetInstanceSet/></CreateFleetResponse>';
    const [before, after] = await Promise.all([ec2With([], response), ec2With([pureSdkSchemas], response)]);
    await Promise.all([before.launch(input), after.launch(input)]);
    expect(before.bodies[0]).toContain('Overrides.1.MaxPrice=0.05');
    expect(after.bodies).toEqual(before.bodies);
  });

  test('what is not listed stays as it is', () => {
    const source = 'const _a = "A";\nexport var Other$ = [3, n0, _O,\n    0,\n    [_a],\n    [0]\n];\n';
    expect(withUsedMembers(source)).toBe(source);
  });

  test('functions name the types of what is left, and not those of the SDK', async () => {
    const files = (await readdir(join(import.meta.dirname, '../../aws'), { recursive: true })).filter((file) => file.endsWith('.ts'));
    const names = Object.keys(usedMembers).join('|');
    const naming = new RegExp(`import [^;]*\\b(?:${names})\\b[^;]*from '@aws-sdk/client-ec2'`);
    const sources = await Promise.all(
      files.map(async (file) => ({ file, text: await readFile(join(import.meta.dirname, '../../aws', file), 'utf8') })),
    );
    expect(sources.filter(({ text }) => naming.test(text)).map(({ file }) => file)).toEqual(['calls/ec2-shapes.ts']);
  });
});

type ErrorClass = (new (opts: Readonly<Record<string, unknown>>) => Error) & { readonly shapeId?: string };

const errorsOf = async (client: string, plugins: readonly Plugin[]): Promise<Readonly<Record<string, ErrorClass>>> =>
  (await builtWith(moduleOf(client, 'models', 'errors.js'), plugins)) as Readonly<Record<string, ErrorClass>>;

const described = (name: string, classes: Readonly<Record<string, ErrorClass>>): unknown => {
  const ErrorType = classes[name];
  if (ErrorType === undefined) return undefined;
  const error = new ErrorType({
    message: 'no',
    Message: 'No',
    Item: { a: 1 },
    CancellationReasons: [],
    ThrottlingReasons: [],
    resourceName: 'r',
    $metadata: {},
  });
  return {
    ...error,
    name: error.name,
    message: error.message,
    isError: error instanceof Error,
    isOwn: error instanceof ErrorType,
    shapeId: ErrorType.shapeId,
  };
};

describe('writing modelled errors compactly', () => {
  test.each(clients)('errors of the %s client are the same as before, in less than half the text', async (client) => {
    const source = await readFile(moduleOf(client, 'models', 'errors.js'), 'utf8');
    expect(compactErrors(source).length).toBeLessThan(source.length / 2);
    const [before, after] = await Promise.all([errorsOf(client, []), errorsOf(client, [compactSdkErrors])]);
    const names = Object.keys(before);
    expect(Object.keys(after).sort()).toEqual([...names].sort());
    for (const name of names) expect(described(name, after), name).toEqual(described(name, before));
  });
});

describe('leaving out errors that have nothing but a message', () => {
  test.each(['dynamodb', 'eventbridge', 'sfn', 'sqs'])('those of the %s client are not registered, and others are', async (client) => {
    const source = await readFile(moduleOf(client, 'schemas', 'schemas_0.js'), 'utf8');
    const left = [...withoutPlainErrors(source).matchAll(/^n0_registry\.registerError\((\w+)\$/gm)].map(([, name]) => name);
    const all = [...source.matchAll(/^n0_registry\.registerError\((\w+)\$/gm)].map(([, name]) => name);
    expect(left.length).toBeLessThan(all.length / 2);
    if (client === 'dynamodb') expect(left).toContain('ConditionalCheckFailedException');
  });
});

type Client = { send(command: object): Promise<unknown> };
type Sqs = {
  readonly SQSClient: new (options: object) => Client;
  readonly ChangeMessageVisibilityCommand: new (input: object) => object;
};

const sqsError = async (plugins: readonly Plugin[]): Promise<unknown> => {
  const { SQSClient, ChangeMessageVisibilityCommand } = (await builtWith(moduleOf('sqs', 'index.js'), plugins)) as Sqs;
  const response = {
    statusCode: 400,
    headers: { 'x-amzn-query-error': 'AWS.SimpleQueueService.MessageNotInflight;Sender' },
    body: Readable.from(['{"__type":"com.amazonaws.sqs#MessageNotInflight","message":"It is visible."}']),
  };
  const client = new SQSClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    requestHandler: { handle: async () => ({ response }) },
  });
  const input = { QueueUrl: 'https://sqs.us-east-1.amazonaws.com/123456789012/q', ReceiptHandle: 'r', VisibilityTimeout: 1 };
  return client.send(new ChangeMessageVisibilityCommand(input)).catch((error: unknown) => error);
};

describe('an error that is not registered', () => {
  test('has the name, the message, the fault and the code that it has when it is registered', async () => {
    const [before, after] = await Promise.all([sqsError([]), sqsError([pureSdkSchemas])]);
    const told = { name: 'MessageNotInflight', message: 'It is visible.', $fault: 'client' };
    for (const error of [before, after]) expect(error).toMatchObject({ ...told, Error: { Code: 'AWS.SimpleQueueService.MessageNotInflight' } });
  });
});

describe('writing the schemas of errors compactly', () => {
  test.each(['auto-scaling', 'elastic-load-balancing-v2', 'sqs'])('it still fits what the %s client looks like', async (client) => {
    const source = await readFile(moduleOf(client, 'schemas', 'schemas_0.js'), 'utf8');
    const errors = source.match(/\[_aQE\]: \[/g)?.length ?? 0;
    const compacted = compactQueryErrors(source).match(/= \/\* @__PURE__ \*\/ __queryError\(/g)?.length ?? 0;
    // A few errors have more than a message, or are of the service.
    expect(compacted).toBeGreaterThan(8);
    expect(compacted).toBeGreaterThanOrEqual(errors - 3);
  });
});
