import { assembledResources, ofType } from './assembled.ts';

/** Event patterns of the template's rules, by what follows the deployment's name. */
export const rulePatterns = async (): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> => {
  const rules = ofType(await assembledResources(), 'AWS::Events::Rule');
  return new Map(
    rules.flatMap(([, { Name, EventPattern }]) =>
      EventPattern === undefined ? [] : [[String(Name).replace(/^holdfast-/, ''), EventPattern as Record<string, unknown>] as const],
    ),
  );
};
