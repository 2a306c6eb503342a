import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assemble } from '../../assembly/assemble.ts';

export type Properties = Readonly<Record<string, unknown>>;
export type Resource = { readonly Type: string; readonly Properties: Properties; readonly DeletionPolicy?: string };
export type Statement = {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** The template as it deploys, by logical id. */
export const assembledResources = async (): Promise<Readonly<Record<string, Resource>>> => {
  const template = JSON.parse(await readFile(join(await assemble(), 'holdfast.template.json'), 'utf8')) as { Resources: Record<string, Resource> };
  return template.Resources;
};

export const ofType = (resources: Readonly<Record<string, Resource>>, type: string): readonly (readonly [string, Properties])[] =>
  Object.entries(resources).flatMap(([id, resource]) => (resource.Type === type ? [[id, resource.Properties] as const] : []));

/** CloudFormation's references as readable text: `arn:<AWS::Partition>:ec2:…`. */
export const printed = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const fn = value as { Ref?: string; 'Fn::GetAtt'?: readonly string[]; 'Fn::Join'?: readonly [string, readonly unknown[]] };
  if (fn.Ref !== undefined) return `<${fn.Ref}>`;
  if (fn['Fn::GetAtt'] !== undefined) return `<${fn['Fn::GetAtt'].join('.')}>`;
  if (fn['Fn::Join'] !== undefined) return fn['Fn::Join'][1].map(printed).join(fn['Fn::Join'][0]);
  return JSON.stringify(value);
};

export const listed = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);
