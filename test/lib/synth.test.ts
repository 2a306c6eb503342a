import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, CfnResource, type Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { AwsSolutionsChecks } from 'cdk-nag';
import { beforeAll, describe, expect, test } from 'vitest';
import { assemble } from '../../assembly/assemble.ts';
import { HoldfastStack } from '../../lib/stack.ts';

const root = join(import.meta.dirname, '..', '..');
const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };

beforeAll(async () => {
  await assemble();
});

/** As `bin/app.ts` puts it together. */
const appWith = (spoil: (stack: Stack) => void): App => {
  const app = new App({ context });
  spoil(new HoldfastStack(app, 'holdfast'));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
};

/** Synthesis reports findings on the error stream and fails the process by its exit code, or throws. */
const fails = (app: App): boolean => {
  const before = process.exitCode;
  try {
    app.synth();
    return process.exitCode !== undefined && process.exitCode !== 0 && process.exitCode !== before;
  } catch {
    return true;
  } finally {
    process.exitCode = before;
  }
};

describe('synthesis', () => {
  test('the stack passes cdk-nag and the template validation', () => {
    expect(fails(appWith(() => undefined))).toBe(false);
  });

  test('a right without reason fails it', () => {
    const spoiled = appWith((stack) => {
      const role = new Role(stack, 'Loose', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
      role.addToPolicy(new PolicyStatement({ actions: ['s3:*'], resources: ['*'] }));
    });
    expect(fails(spoiled)).toBe(true);
  });

  test('a property that CloudFormation does not have fails it', () => {
    const spoiled = appWith((stack) => {
      new CfnResource(stack, 'Misspelled', { type: 'AWS::SQS::Queue', properties: { VisibilityTimeOut: 30 } });
    });
    expect(fails(spoiled)).toBe(true);
  });
});
