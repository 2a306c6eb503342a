import type { Place } from '../../api.ts';
import { type Identity, identify } from './identity.ts';
import { noValue, referencesIn, resolve, type Scope, type Template } from './intrinsics.ts';

/** A resource with its properties resolved. */
export type StackResource = Identity & { readonly logicalId: string; readonly type: string; readonly properties: Readonly<Record<string, unknown>> };

/** A template as it would be after deployment. */
export type Stack = {
  readonly name: string;
  /** Every resource comes after those that it depends on. */
  readonly resources: readonly StackResource[];
  readonly outputs: Readonly<Record<string, unknown>>;
};

export type StackOptions = {
  readonly name: string;
  readonly place: Place;
  readonly parameters?: Readonly<Record<string, string>>;
  /** The host of queue URLs. SDK clients use the URL of a queue as the endpoint. */
  readonly queueOrigin?: string;
};

/** Properties that name a resource; they alone are resolved to identify it, so that references in circles of rights do not matter. */
const nameProperty = /Name$|^Id$/;

const pseudoParameters = (name: string, place: Place): Readonly<Record<string, unknown>> => ({
  'AWS::AccountId': place.accountId,
  'AWS::Region': place.region,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::StackName': name,
  'AWS::StackId': `arn:aws:cloudformation:${place.region}:${place.accountId}:stack/${name}/00000000-0000-0000-0000-000000000000`,
  'AWS::NotificationARNs': [],
  'AWS::NoValue': noValue,
});

const createScope = (template: Template, { name, place, parameters = {}, queueOrigin }: StackOptions) => {
  const pseudo = pseudoParameters(name, place);
  const identities = new Map<string, Identity>();
  const identityOf = (logicalId: string): Identity => {
    const known = identities.get(logicalId);
    if (known !== undefined) return known;
    const resource = template.Resources[logicalId];
    if (resource === undefined) throw new Error(`The template refers to ${logicalId}, which it does not hold.`);
    const naming = Object.entries(resource.Properties ?? {}).filter(([property]) => nameProperty.test(property));
    const properties = resolve(Object.fromEntries(naming), scope) as Record<string, unknown>;
    const identity = identify(resource.Type, { logicalId, stack: name, properties, place, ...(queueOrigin && { queueOrigin }) });
    identities.set(logicalId, identity);
    return identity;
  };
  const scope: Scope = {
    ref: (reference) => {
      if (reference in pseudo) return pseudo[reference];
      const parameter = template.Parameters?.[reference];
      if (parameter === undefined) return identityOf(reference).ref;
      const value = parameters[reference] ?? parameter.Default;
      if (value === undefined) throw new Error(`Parameter ${reference} has neither a value nor a default.`);
      return parameter.Type.startsWith('List<') || parameter.Type === 'CommaDelimitedList' ? value.split(',') : value;
    },
    attribute: (logicalId, attribute) => {
      const value = identityOf(logicalId).attributes[attribute];
      if (value === undefined)
        throw new Error(`The sandbox does not know attribute ${attribute} of ${template.Resources[logicalId]?.Type} ${logicalId}.`);
      return value;
    },
    condition: (condition) => {
      if (!(condition in (template.Conditions ?? {}))) throw new Error(`The template refers to condition ${condition}, which it does not hold.`);
      return resolve(template.Conditions?.[condition], scope) === true;
    },
    mapping: (map, top, second) => template.Mappings?.[map]?.[top]?.[second],
  };
  return { scope, identityOf };
};

/** Logical ids, in an order in which every resource comes after those that it refers to. A circle is an error, as in CloudFormation. */
const inOrder = (template: Template, wanted: readonly string[]): readonly string[] => {
  const done = new Set<string>();
  const underWay: string[] = [];
  const order: string[] = [];
  const visit = (logicalId: string): void => {
    if (done.has(logicalId)) return;
    if (underWay.includes(logicalId)) throw new Error(`Circular dependency: ${[...underWay, logicalId].join(' → ')}.`);
    underWay.push(logicalId);
    const resource = template.Resources[logicalId];
    const named = [resource?.DependsOn ?? []].flat() as string[];
    for (const other of [...named, ...referencesIn(resource?.Properties)]) if (wanted.includes(other)) visit(other);
    underWay.pop();
    done.add(logicalId);
    order.push(logicalId);
  };
  wanted.forEach(visit);
  return order;
};

/**
 * Resolves a whole template.
 * @throws on an unknown resource type, intrinsic function, attribute, parameter or condition, naming it.
 */
export const resolveStack = (template: Template, options: StackOptions): Stack => {
  const { scope, identityOf } = createScope(template, options);
  const wanted = Object.entries(template.Resources)
    .filter(([, { Condition }]) => Condition === undefined || scope.condition(Condition))
    .map(([logicalId]) => logicalId);
  const resources = inOrder(template, wanted).map((logicalId) => {
    const { Type, Properties = {} } = template.Resources[logicalId] as Template['Resources'][string];
    return { ...identityOf(logicalId), logicalId, type: Type, properties: resolve(Properties, scope) as Record<string, unknown> };
  });
  const outputs = Object.entries(template.Outputs ?? {}).filter(([, { Condition }]) => Condition === undefined || scope.condition(Condition));
  return { name: options.name, resources, outputs: Object.fromEntries(outputs.map(([key, { Value }]) => [key, resolve(Value, scope)])) };
};
