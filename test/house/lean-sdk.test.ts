import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Md5, Sha256 } from '@smithy/core/checksum';
import { RpcProtocol } from '@smithy/core/protocols';
import { build } from 'esbuild';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { bundleOptions } from '../../assembly/bundle.ts';
import { edits, innerStandIns, withoutRegions } from '../../assembly/lean-sdk.ts';
import * as clients from '../../aws/calls/clients.ts';

const root = dirname(dirname(import.meta.dirname));
const packages = [
  ...['@smithy/core', '@aws-sdk/core', '@aws-sdk/lib-dynamodb', '@smithy/signature-v4'],
  ...['@aws-sdk/client-eventbridge', '@aws-lambda-powertools/logger'],
];
const cores = packages.map((name) => ({
  name,
  folder: join(root, 'node_modules', name),
}));
const config = { region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 's' } };

const makers = [
  clients.createEc2Client,
  clients.createAutoScalingClient,
  clients.createElbClient,
  clients.createSqsClient,
  clients.createSfnClient,
  clients.createEventBridgeClient,
  clients.createDocumentClient,
];

/** What an SQS client says to a call in a bundle with these plugins, with nothing in its environment. */
const complaintOf = async (plugins: typeof bundleOptions.plugins | [], asked: object): Promise<string> => {
  const contents = `
    import { SQSClient, ListQueuesCommand } from '@aws-sdk/client-sqs';
    export const complaint = (config) =>
      Promise.resolve().then(() => new SQSClient(config).send(new ListQueuesCommand({}))).then(() => 'none', (error) => error.message);`;
  const stdin = { contents, resolveDir: root, loader: 'js' as const };
  const { outputFiles } = await build({ ...bundleOptions, sourcemap: false, outExtension: {}, plugins, stdin, write: false });
  const code = (outputFiles[0]?.text ?? '').replaceAll('import.meta.url', JSON.stringify(import.meta.url));
  const { complaint } = (await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)) as {
    complaint: (config: object) => Promise<string>;
  };
  return complaint(asked);
};

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('single modules of the SDK that are left out of bundles', () => {
  test.each(innerStandIns)('$module is one module of the SDK', async ({ module }) => {
    const files: string[] = [];
    for (const { name, folder } of cores)
      for await (const file of glob('{dist-es,lib/esm}/**/*.js', { cwd: folder })) if (module.test(`${name}/${file}`)) files.push(file);
    expect(files).toHaveLength(1);
  });

  test.each(edits)('$from is once in one module of the SDK, and is written anew', async ({ module, from }) => {
    const texts: string[] = [];
    for (const { name, folder } of cores)
      for await (const file of glob('dist-es/**/*.js', { cwd: folder }))
        if (module.test(`${name}/${file}`)) texts.push(await readFile(join(folder, file), 'utf8'));
    expect(texts.map((text) => text.split(from).length - 1)).toEqual([1]);
  });

  test('SHA-256 and MD5 come from Node, so those in JavaScript are never made', () => {
    expect([Sha256.name, Md5.name]).toEqual(['Sha256Node', 'Md5Node']);
  });

  test('every client repeats in the standard way, whatever the environment sets', async () => {
    vi.stubEnv('AWS_RETRY_MODE', 'adaptive');
    for (const create of makers) expect(await create(config).config.retryStrategy()).toHaveProperty('mode', 'standard');
  });

  test('no client writes a log of its calls, so none misses the middleware that would', () => {
    for (const create of makers) expect(create(config).config.logger?.constructor.name).toBe('NoOpLogger');
  });

  test('every service takes the whole input of an operation in the body, so no client looks for other places', () => {
    for (const create of makers) expect(create(config).config).toHaveProperty('protocol', expect.any(RpcProtocol));
  });

  test('services that use JSON give times as seconds, so that no code reads times as text there', async () => {
    type Json = { readonly codec?: { readonly settings: { readonly timestampFormat: { readonly default: number } } } };
    const protocols = await Promise.all(makers.map(async (create) => (create(config).config as { readonly protocol: unknown }).protocol));
    const formats = protocols.flatMap((protocol) => (protocol as Json).codec?.settings.timestampFormat.default ?? []);
    const epochSeconds = 7;
    expect(formats).toEqual([epochSeconds, epochSeconds, epochSeconds, epochSeconds]);
    const file = innerStandIns.find(({ module }) => module.source.includes('date-utils'));
    const { parseEpochTimestamp, parseRfc7231DateTime } = await import(`data:text/javascript,${encodeURIComponent(file?.contents ?? '')}`);
    expect([parseEpochTimestamp(1_767_225_600.5), parseEpochTimestamp(null)]).toEqual([new Date(1_767_225_600_500), undefined]);
    expect(() => parseEpochTimestamp('yesterday')).toThrow('a time is no number of seconds: yesterday');
    expect(() => parseRfc7231DateTime('Mon, 23 Nov 2026 02:00:00 GMT')).toThrow('times as text are left out');
  });

  test('the pattern of a partition finds every region that the list names', async () => {
    const path = join(cores[1]?.folder ?? '', 'dist-es/submodules/client/util-endpoints/lib/aws/partitions.js');
    type Info = { readonly partitions: readonly { readonly id: string; readonly regionRegex: string; readonly regions: object }[] };
    const infoIn = (source: string): Info => JSON.parse(source.slice(source.indexOf('{'), source.lastIndexOf('}') + 1)) as Info;
    const whole = infoIn(await readFile(path, 'utf8'));
    const lean = infoIn(withoutRegions(await readFile(path, 'utf8')));
    expect(lean.partitions.map(({ id }) => id)).toEqual(whole.partitions.map(({ id }) => id));
    for (const { id, regions } of whole.partitions) {
      for (const region of Object.keys(regions).filter((name) => !name.endsWith('global')))
        expect([region, lean.partitions.find(({ regionRegex }) => new RegExp(regionRegex).test(region))?.id]).toEqual([region, id]);
    }
  });

  test('a client that asks for the adaptive way fails with a sentence that names the reason', async () => {
    const said = await complaintOf(bundleOptions.plugins, { ...config, retryMode: 'adaptive' });
    expect(said).toBe('The retry mode adaptive is left out of this bundle (assembly/lean-sdk.ts)');
  });

  test('without a region, the error is the same as if no metadata service responds', async () => {
    vi.stubEnv('AWS_REGION', '');
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere');
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    const whole = await complaintOf([], { credentials: config.credentials });
    // Left to itself the lean client would not ask the service at all.
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', '');
    expect(await complaintOf(bundleOptions.plugins, { credentials: config.credentials })).toBe(whole);
    expect(whole).toMatch(/region/i);
  });
});
