import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Parts of the SDK that no function can reach, and what replaces them. Left in, they are a third of every bundle, and because they are loaded by
 * dynamic imports, whatever they share with the rest is neither shaken nor minified well.
 */
const standIns: Readonly<Record<string, string>> = {
  // In Lambda credentials are in the environment, which the SDK's chain asks first. The other links are profiles, SSO, STS and metadata services.
  '@aws-sdk/credential-provider-node': `
    import { fromEnv } from '@aws-sdk/credential-provider-env';
    export const defaultProvider = (init) => fromEnv(init);`,
  // Streams of events inside one answer: no operation that we call has them.
  '@smithy/core/event-streams': `
    const absent = () => { throw new Error('event streams are left out of this bundle (assembly/lean-sdk.ts)'); };
    export class EventStreamSerde { constructor() { absent(); } }
    export const eventStreamSerdeProvider = absent;`,
  // The cache of discovered endpoints: DynamoDB discovers none unless it is told to.
  '@aws-sdk/endpoint-cache': `
    const absent = () => { throw new Error('endpoint discovery is left out of this bundle (assembly/lean-sdk.ts)'); };
    export class EndpointCache { get = absent; set = absent; has = absent; delete = absent; clear = absent; }`,
  // Signing for several regions at once: only global endpoints of EventBridge need it. Signing for one region is the same class underneath.
  '@aws-sdk/signature-v4-multi-region': `
    import { SignatureV4 } from '@smithy/signature-v4';
    export class SignatureV4MultiRegion extends SignatureV4 { static sigv4aDependency() { return 'none'; } }`,
};

const moduleOf =
  (scope: string) =>
  (...path: readonly string[]): RegExp =>
    new RegExp(`${scope}[\\\\/]core[\\\\/]dist-es[\\\\/]submodules[\\\\/]${path.join('[\\\\/]')}\\.js$`);
const innards = moduleOf('@smithy');
const awsInnards = moduleOf('@aws-sdk');

/** The same for single modules inside packages whose rest is needed. */
export const innerStandIns: readonly { readonly module: RegExp; readonly contents: string }[] = [
  // SHA-256 written out in JavaScript, for a Node without it. It stays the name that stands behind `node:crypto`.
  {
    module: innards('checksum', 'sha256', 'Sha256Js'),
    contents: `export class Sha256Js {
      constructor() { throw new Error('SHA-256 without node:crypto is left out of this bundle (assembly/lean-sdk.ts)'); }
    }`,
  },
  // Every client is made with the retry mode `standard` (aws/calls/clients.ts), which the environment does not override.
  {
    module: innards('retry', 'util-retry', 'AdaptiveRetryStrategy'),
    contents: `export class AdaptiveRetryStrategy {
      constructor() { throw new Error('The retry mode adaptive is left out of this bundle (assembly/lean-sdk.ts)'); }
    }`,
  },
  // MD5 likewise: SQS's checksums of messages are made by `node:crypto`.
  {
    module: innards('checksum', 'md5', 'Md5Js'),
    contents: `export class Md5Js {
      constructor() { throw new Error('MD5 without node:crypto is left out of this bundle (assembly/lean-sdk.ts)'); }
    }`,
  },
  // Our repeats have pauses of their own (aws/calls/retries.ts), so nobody asks for the time that a response names.
  {
    module: innards('retry', 'middleware-retry', 'parseRetryAfterHeader'),
    contents: 'export const parseRetryAfterHeader = () => undefined; export const getRetryAfterHint = parseRetryAfterHeader;',
  },
  // Clients of functions repeat calls by aws/calls/retries.ts. One that is made without that makes each call once.
  {
    module: innards('retry', 'util-retry', 'StandardRetryStrategy'),
    contents: `export class StandardRetryStrategy {
      mode = 'standard';
      async acquireInitialRetryToken() { return { getRetryCount: () => 0, getRetryDelay: () => 0 }; }
      async refreshRetryTokenForRetry() { throw new Error('Repeats by the SDK are left out of this bundle (assembly/lean-sdk.ts)'); }
      recordSuccess() {}
    }`,
  },
  // Lambda names the region in the environment, and has no instance metadata service to ask. This is what the SDK makes of a service that is not there.
  {
    module: innards('config', 'config-resolver', 'regionConfig', 'getInstanceMetadataRegion'),
    contents: 'export const getInstanceMetadataRegion = async () => undefined;',
  },
  // Lambda has no files of profiles. This is what the SDK makes of files that are not there.
  {
    module: innards('config', 'shared-ini-file-loader', 'loadSharedConfigFiles'),
    contents: `export const CONFIG_PREFIX_SEPARATOR = '.';
      export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
  },
  // The user agent of each call names the features of the client that made it. Names and versions stay.
  { module: awsInnards('client', 'middleware-user-agent', 'check-features'), contents: 'export const checkFeatures = async () => undefined;' },
  // No client is made with a logger (aws/calls/clients.ts), so there is nothing to write for a call.
  {
    module: awsInnards('client', 'middleware-logger', 'loggerMiddleware'),
    contents: `export const loggerMiddleware = () => (next) => next;
      export const loggerMiddlewareOptions = { name: 'loggerMiddleware', step: 'initialize' };
      export const getLoggerPlugin = () => ({ applyToStack: () => undefined });`,
  },
  // It hides secret fields from that logger.
  { module: innards('client', 'smithy-client', 'schemaLogFilter'), contents: 'export const schemaLogFilter = (_, data) => data;' },
  // Signing for several regions at once, as above. EventBridge makes this signer and uses it for global endpoints alone.
  {
    module: awsInnards('httpAuthSchemes', 'aws_sdk', 'AwsSdkSigV4ASigner'),
    contents: `export class AwsSdkSigV4ASigner {
      async sign() { throw new Error('Signing for several regions is left out of this bundle (assembly/lean-sdk.ts)'); }
    }`,
  },
  // The choice of that signer, for global endpoints. All other endpoints of EventBridge are signed for one region.
  {
    module: /@aws-sdk[\\/]client-eventbridge[\\/]dist-es[\\/]auth[\\/]httpAuthSchemeProvider\.js$/,
    contents: `import { resolveAwsSdkSigV4Config } from '@aws-sdk/core/httpAuthSchemes';
      import { getSmithyContext, normalizeProvider } from '@smithy/core/client';
      export const defaultEventBridgeHttpAuthSchemeParametersProvider = async (config, context) => ({
        operation: getSmithyContext(context).operation,
        region: await config.region(),
      });
      export const defaultEventBridgeHttpAuthSchemeProvider = ({ region }) => [{
        schemeId: 'aws.auth#sigv4',
        signingProperties: { name: 'events', region },
        propertiesExtractor: (config, context) => ({ signingProperties: { config, context } }),
      }];
      export const resolveHttpAuthSchemeConfig = (config) =>
        Object.assign(resolveAwsSdkSigV4Config(config), { authSchemePreference: normalizeProvider(config.authSchemePreference ?? []) });`,
  },
  // Logs that are kept back until an error: no logger is made with such a buffer.
  {
    module: /@aws-lambda-powertools[\\/]logger[\\/]lib[\\/]esm[\\/]logBuffer\.js$/,
    contents: `export class CircularMap extends Map {
      setItem() { throw new Error('Logs that are kept back are left out of this bundle (assembly/lean-sdk.ts)'); }
    }`,
  },
  // The stack fixes the version of Node that functions run on.
  {
    module: awsInnards('client', 'emitWarningIfUnsupportedVersion'),
    contents: 'export const state = { warningEmitted: true }; export const emitWarningIfUnsupportedVersion = () => undefined;',
  },
  // Services that speak JSON give times as seconds (DynamoDB, SQS, Step Functions, EventBridge). Times in XML are read by another module.
  {
    module: innards('serde', 'date-utils'),
    contents: `const absent = () => { throw new Error('times as text are left out of this bundle (assembly/lean-sdk.ts)'); };
      export const [dateToUtcString, parseRfc3339DateTime, parseRfc3339DateTimeWithOffset, parseRfc7231DateTime] = [absent, absent, absent, absent];
      export const parseEpochTimestamp = (value) => {
        if (value === null || value === undefined) return undefined;
        const date = new Date(Math.round(Number(value) * 1_000));
        if (Number.isNaN(date.getTime())) throw new TypeError('a time is no number of seconds: ' + value);
        return date;
      };`,
  },
  // Headers of the messages of an event stream, which is signed message by message. Event streams are left out above.
  {
    module: /@smithy[\\/]signature-v4[\\/]dist-es[\\/]HeaderFormatter\.js$/,
    contents: `export class HeaderFormatter {
      format() { throw new Error('event streams are left out of this bundle (assembly/lean-sdk.ts)'); }
    }`,
  },
  // No function scans a table. The pages of a scan would keep the command and its schemas.
  {
    module: /@aws-sdk[\\/]lib-dynamodb[\\/]dist-es[\\/]pagination[\\/]ScanPaginator\.js$/,
    contents: "export const paginateScan = () => { throw new Error('Scans are left out of this bundle (assembly/lean-sdk.ts)'); };",
  },
  // Names of buckets: no function calls S3, and only its calls have parameters that begin with one.
  {
    module: innards('endpoints', 'middleware-endpoint', 'service-customizations', 's3'),
    contents: `const absent = () => { throw new Error('calls of S3 are left out of this bundle (assembly/lean-sdk.ts)'); };
      export const [resolveParamsForS3, isDnsCompatibleBucketName, isArnBucketName] = [absent, absent, absent];
      export const [DOT_PATTERN, S3_HOSTNAME_PATTERN] = [];`,
  },
];

/** Work of the SDK at every call that nobody uses, as it is written in its modules, and what is written there instead. */
export const edits: readonly { readonly module: RegExp; readonly from: string; readonly to: string }[] = [
  // Copies of a configuration of some hundred entries, three at every call. An object that inherits the entries reads the same.
  ...['schemaSerializationMiddleware', 'schemaDeserializationMiddleware'].map((name) => ({
    module: innards('schema', 'middleware', name),
    from: '...config,',
    to: '__proto__: config,',
  })),
  { module: innards('endpoints', 'middleware-endpoint', 'endpointMiddleware'), from: '{ ...config }', to: 'Object.create(config)' },
  // An error with its stack, which is always replaced before it is read.
  { module: innards('retry', 'middleware-retry', 'retryMiddleware'), from: 'let lastError = new Error();', to: 'let lastError;' },
];

/** The text of a module with its edit. One that does not have the text stays as it is. */
const edited = async (path: string, { from, to }: (typeof edits)[number]): Promise<string> => (await readFile(path, 'utf8')).replace(from, to);

const clientManifests = /@aws-sdk[\\/]client-[^\\/]+[\\/]package\.json$/;

/** The SDK's list of partitions. */
const partitions = awsInnards('client', 'util-endpoints', 'lib', 'aws', 'partitions');

/** The list without the names of single regions: the pattern of a partition finds its regions too. */
export const withoutRegions = (source: string): string => {
  type Partition = { readonly id: string; readonly regionRegex: string; readonly outputs: object };
  const json = source.slice(source.indexOf('{'), source.lastIndexOf('}') + 1);
  const info = JSON.parse(json) as { readonly partitions: readonly Partition[]; readonly version: string };
  const lean = { ...info, partitions: info.partitions.map((one) => ({ ...one, regions: {} })) };
  return `export const partitionsInfo = ${JSON.stringify(lean)};`;
};

const namespace = 'lean-sdk';

/** Puts the stand-ins into bundles that run in Lambda. Of the clients' manifests, which name the version in the user agent, it keeps that alone. */
export const leanSdk: Plugin = {
  name: namespace,
  setup(build) {
    const filter = new RegExp(`^(${Object.keys(standIns).join('|')})$`);
    build.onResolve({ filter }, ({ path }) => ({ path, namespace }));
    build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: standIns[path] ?? '',
      loader: 'js',
      resolveDir: dirname(createRequire(import.meta.url).resolve('@aws-sdk/client-ec2/package.json')),
    }));
    for (const { module, contents } of innerStandIns) build.onLoad({ filter: module }, () => ({ contents, loader: 'js' }));
    for (const edit of edits) build.onLoad({ filter: edit.module }, async ({ path }) => ({ contents: await edited(path, edit), loader: 'js' }));
    build.onLoad({ filter: partitions }, async ({ path }) => ({ contents: withoutRegions(await readFile(path, 'utf8')), loader: 'js' }));
    build.onLoad({ filter: clientManifests }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8')) as { version: string };
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};
