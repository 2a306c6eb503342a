import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { env, type FunctionName, functionNames } from '../core/contract.ts';
import { drainStepTimeoutMs, reactTimeoutMs } from '../core/times/times.ts';

export type FunctionsProps = { readonly name: string; readonly logRetention: RetentionDays };

type Size = {
  readonly memorySize: number;
  readonly timeoutSeconds: number;
  readonly does: string;
  readonly recursiveLoop?: RecursiveLoop;
};

/** Memory buys CPU: a cold start of `react` delays the replacement after a warning. */
const sizes: Readonly<Record<FunctionName, Size>> = {
  react: {
    memorySize: 1024,
    timeoutSeconds: reactTimeoutMs / 1_000,
    // While a group waits, each look sends the message for the next to its own queue. Lambda would stop that chain
    // after about sixteen calls (Lambda Developer Guide, "Use Lambda recursive loop detection").
    recursiveLoop: RecursiveLoop.ALLOW,
    does: 'turns signals into decisions and carries them out',
  },
  tick: { memorySize: 512, timeoutSeconds: 30, does: 'sends every group a tick, once a minute' },
  'accept-policy': { memorySize: 512, timeoutSeconds: 30, does: 'accepts or rejects what users write' },
  'begin-drain': {
    memorySize: 512,
    timeoutSeconds: drainStepTimeoutMs / 1_000,
    does: 'takes leaving instances out of service',
  },
  'check-drain': {
    memorySize: 512,
    timeoutSeconds: drainStepTimeoutMs / 1_000,
    does: 'looks at the connections of leaving instances',
  },
  'end-drain': {
    memorySize: 512,
    timeoutSeconds: drainStepTimeoutMs / 1_000,
    does: 'terminates drained instances, and records how drains ended',
  },
};

/** Bundles are found beside this package, wherever the app that uses it is run from. */
const bundleOf = (name: FunctionName): string => join(import.meta.dirname, '..', 'dist', 'functions', name);

/**
 * Every Lambda function of the contract, each with a role and a log group of its own. A role starts with the right to
 * write that log, and no other.
 */
export class Functions extends Construct {
  readonly byName: Readonly<Record<FunctionName, LambdaFunction>>;

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    this.byName = Object.fromEntries(functionNames.map((name) => [name, this.create(name, props)])) as Record<
      FunctionName,
      LambdaFunction
    >;
  }

  get all(): readonly LambdaFunction[] {
    return functionNames.map((name) => this.byName[name]);
  }

  private create(name: FunctionName, { name: deployment, logRetention }: FunctionsProps): LambdaFunction {
    const { memorySize, timeoutSeconds, does, recursiveLoop } = sizes[name];
    const functionName = `${deployment}-${name}`;
    const logGroup = new LogGroup(this, `${name}-log`, {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, `${name}-role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `Holdfast ${functionName}`,
    });
    logGroup.grantWrite(role);
    return new LambdaFunction(this, name, {
      functionName,
      description: `Holdfast: ${does}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(bundleOf(name), { exclude: ['*.map'] }),
      handler: 'index.handler',
      memorySize,
      timeout: Duration.seconds(timeoutSeconds),
      loggingFormat: LoggingFormat.TEXT,
      ...(recursiveLoop && { recursiveLoop }),
      environment: { [env.name]: deployment },
      logGroup,
      role,
    });
  }
}
