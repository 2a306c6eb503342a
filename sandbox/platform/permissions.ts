import type { Stack, StackResource } from './template/stack.ts';

type Statement = {
  readonly Effect?: string;
  readonly Principal?: { readonly Service?: string | readonly string[] } | string;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

const ofType = (stack: Stack, type: string): readonly StackResource[] => stack.resources.filter((resource) => resource.type === type);

const admitsEvents = ({ Effect, Principal }: Statement): boolean =>
  Effect === 'Allow' && typeof Principal === 'object' && [Principal.Service ?? []].flat().includes('events.amazonaws.com');

/** A condition on the source must name this rule; a statement without one admits every rule. */
const isFor = ({ Condition = {} }: Statement, ruleArn: string): boolean => {
  const sources = Object.values(Condition).flatMap((condition) => [condition['aws:SourceArn'] ?? condition['AWS:SourceArn'] ?? []].flat());
  return sources.length === 0 || sources.includes(ruleArn);
};

const mayFeedQueue = (stack: Stack, ruleArn: string, queue: StackResource): boolean =>
  ofType(stack, 'AWS::SQS::QueuePolicy')
    .filter(({ properties }) => [properties.Queues].flat().includes(queue.ref))
    .flatMap(({ properties }) => [(properties.PolicyDocument as { Statement?: Statement[] }).Statement ?? []].flat())
    .some((statement) => admitsEvents(statement) && isFor(statement, ruleArn));

const mayCallFunction = (stack: Stack, ruleArn: string, fn: StackResource): boolean =>
  ofType(stack, 'AWS::Lambda::Permission').some(({ properties }) => {
    const { FunctionName, Principal, SourceArn } = properties;
    const isThis = FunctionName === fn.attributes.Arn || FunctionName === fn.name;
    return isThis && Principal === 'events.amazonaws.com' && (SourceArn === undefined || SourceArn === ruleArn);
  });

/** What a target must grant to the rules that feed it, by the type of the target. */
const checks: Readonly<Record<string, (stack: Stack, ruleArn: string, target: StackResource) => boolean>> = {
  'AWS::SQS::Queue': mayFeedQueue,
  'AWS::Lambda::Function': mayCallFunction,
};

/** Rules whose targets do not allow EventBridge to deliver. In AWS, their events would be lost without an error. Returns one sentence for each such rule. */
export const closedTargets = (stack: Stack): readonly string[] =>
  ofType(stack, 'AWS::Events::Rule').flatMap((rule) => {
    const ruleArn = String(rule.attributes.Arn);
    const arns = ((rule.properties.Targets ?? []) as { Arn: string }[]).map(({ Arn }) => Arn);
    return arns.flatMap((arn) => {
      const target = stack.resources.find(({ attributes }) => attributes.Arn === arn);
      const isOpen = target !== undefined && (checks[target.type]?.(stack, ruleArn, target) ?? true);
      return isOpen ? [] : [`Rule ${rule.name} may not deliver to ${arn}: the target has no policy that lets EventBridge in.`];
    });
  });
