import { assembledResources, ofType } from './assembled.ts';

type Pattern = Readonly<Record<string, unknown>>;

/** Event patterns of the template's rules, by what follows the deployment's name, with the state machine that they name as it is deployed. */
export const rulePatterns = async (): Promise<ReadonlyMap<string, Pattern>> => {
  const resources = await assembledResources();
  const arns = new Map(
    ofType(resources, 'AWS::StepFunctions::StateMachine').map(([id, { StateMachineName }]) => [
      id,
      `arn:aws:states:us-east-2:123456789012:stateMachine:${String(StateMachineName)}`,
    ]),
  );
  const resolved = (pattern: unknown): Pattern =>
    JSON.parse(JSON.stringify(pattern), (_, value) => (typeof value?.Ref === 'string' ? arns.get(value.Ref) : value));
  return new Map(
    ofType(resources, 'AWS::Events::Rule').flatMap(([, { Name, EventPattern }]) =>
      EventPattern === undefined ? [] : [[String(Name).replace(/^holdfast-/, ''), resolved(EventPattern)] as const],
    ),
  );
};
