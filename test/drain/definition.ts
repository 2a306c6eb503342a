import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { DrainWorkflow } from '../../lib/drain-workflow.ts';
import type { MachineDefinition } from '../../sandbox/platform/states/definition.ts';

/** Name of the stub function that is in the synthesized definition for each step. */
export const stubArn = (step: string): string => `arn:aws:lambda:eu-west-1:123456789012:function:${step}`;

const steps = ['begin', 'check', 'end'];
const stepOf = (logicalId: string): string => steps.find((step) => logicalId.startsWith(step)) ?? logicalId;

type Part = string | { readonly Ref: string } | { readonly 'Fn::GetAtt': readonly [string, string] };

const resolved = (part: Part): string => {
  if (typeof part === 'string') return part;
  return 'Ref' in part ? 'aws' : stubArn(stepOf(part['Fn::GetAtt'][0]));
};

/** Synthesizes the workflow in a stack of its own: the template, and the definition with its functions' ARNs filled in. */
export const synthesize = (): { readonly template: Template; readonly definition: MachineDefinition } => {
  const stack = new Stack(new App(), 'Test');
  const stub = (id: string) => new LambdaFunction(stack, id, { runtime: Runtime.NODEJS_24_X, handler: 'index.handler', code: Code.fromInline('0') });
  new DrainWorkflow(stack, 'Drain', {
    name: 'holdfast',
    logRetention: RetentionDays.ONE_WEEK,
    beginDrain: stub('begin'),
    checkDrain: stub('check'),
    endDrain: stub('end'),
  });
  const template = Template.fromStack(stack);
  const [machine] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
  const parts: readonly Part[] = machine?.Properties.DefinitionString['Fn::Join'][1];
  return { template, definition: JSON.parse(parts.map(resolved).join('')) };
};
