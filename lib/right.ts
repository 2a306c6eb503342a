import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';

/** What a function may do, on which resources, and why it is not narrower. */
export type Right = {
  readonly actions: readonly string[];
  /** ARNs, or `*` for an action without resources. */
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
  /**
   * Why a wildcard is needed here, with the AWS page that says so. It becomes the acknowledgement that cdk-nag
   * requires.
   */
  readonly reason: string;
};

type Part = string | { readonly Ref: string } | { readonly 'Fn::GetAtt': readonly string[] };
type Resolved = Part | { readonly 'Fn::Join': readonly [string, readonly Part[]] };

const printedPart = (part: Part): string => {
  if (typeof part === 'string') return part;
  return `<${'Ref' in part ? part.Ref : part['Fn::GetAtt'].join('.')}>`;
};

/** The ARN as cdk-nag prints it in its findings: `arn:<AWS::Partition>:ec2:…`. */
const printed = (stack: Stack, arn: string): string => {
  const resolved: Resolved = stack.resolve(arn);
  if (typeof resolved === 'object' && 'Fn::Join' in resolved) return resolved['Fn::Join'][1].map(printedPart).join('');
  return printedPart(resolved);
};

/** Adds the right to the function's own role, and acknowledges its wildcards there and nowhere else. */
export const allow = (fn: LambdaFunction, { actions, resources, conditions, reason }: Right): void => {
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: [...actions],
      resources: [...resources],
      ...(conditions ? { conditions: structuredClone(conditions) } : {}),
    }),
  );
  if (fn.role === undefined) return;
  const stack = Stack.of(fn);
  for (const resource of resources) {
    const arn = printed(stack, resource);
    if (arn.includes('*')) Validations.of(fn.role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${arn}]`, reason });
  }
};
