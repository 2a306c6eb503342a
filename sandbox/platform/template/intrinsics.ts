/** A CloudFormation template, as far as the sandbox reads it. */
export type Template = {
  readonly Parameters?: Readonly<Record<string, { readonly Type: string; readonly Default?: string }>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Mappings?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Condition?: string }>>;
};

export type TemplateResource = {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly Condition?: string;
  readonly Metadata?: Readonly<Record<string, unknown>>;
};

/** What references resolve to. */
export type Scope = {
  /** Value of `Ref`: a parameter, a pseudo parameter or a resource. */
  ref(name: string): unknown;
  attribute(logicalId: string, name: string): unknown;
  condition(name: string): boolean;
  mapping(map: string, top: string, second: string): unknown;
};

/** Stands for `AWS::NoValue`: the property that holds it is left out. */
export const noValue = Symbol('AWS::NoValue');

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const asText = (value: unknown, where: string): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`${where} needs text, but was given ${JSON.stringify(value)}.`);
};

const asList = (value: unknown, where: string): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  throw new Error(`${where} needs a list, but was given ${JSON.stringify(value)}.`);
};

const substitute = (argument: unknown, scope: Scope): string => {
  const [text, variables] = Array.isArray(argument) ? argument : [argument, {}];
  const own = resolve(variables, scope) as Record<string, unknown>;
  return asText(text, 'Fn::Sub').replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
    if (literal) return `\${${name}}`;
    if (name in own) return asText(own[name], 'Fn::Sub');
    const [logicalId, ...attribute] = name.split('.');
    return asText(attribute.length > 0 ? scope.attribute(logicalId as string, attribute.join('.')) : scope.ref(name), 'Fn::Sub');
  });
};

const getAttribute = (argument: unknown, scope: Scope): unknown => {
  const [logicalId, ...name] = typeof argument === 'string' ? argument.split('.') : (argument as string[]);
  return scope.attribute(logicalId as string, name.join('.'));
};

const join = (argument: unknown, scope: Scope): string => {
  const [separator, parts] = asList(argument, 'Fn::Join');
  return asList(resolve(parts, scope), 'Fn::Join')
    .map((part) => asText(part, 'Fn::Join'))
    .join(asText(separator, 'Fn::Join'));
};

const functions: Readonly<Record<string, (argument: unknown, scope: Scope) => unknown>> = {
  Ref: (name, scope) => scope.ref(asText(name, 'Ref')),
  Condition: (name, scope) => scope.condition(asText(name, 'Condition')),
  'Fn::GetAtt': getAttribute,
  'Fn::Sub': substitute,
  'Fn::Join': join,
  'Fn::Select': (argument, scope) => {
    const [index, list] = resolve(argument, scope) as [unknown, unknown];
    return asList(list, 'Fn::Select')[Number(index)];
  },
  'Fn::Split': (argument, scope) => {
    const [separator, text] = resolve(argument, scope) as [unknown, unknown];
    return asText(text, 'Fn::Split').split(asText(separator, 'Fn::Split'));
  },
  'Fn::If': (argument, scope) => {
    const [name, yes, no] = asList(argument, 'Fn::If');
    return resolve(scope.condition(asText(name, 'Fn::If')) ? yes : no, scope);
  },
  'Fn::Equals': (argument, scope) => {
    const [left, right] = resolve(argument, scope) as [unknown, unknown];
    return left === right;
  },
  'Fn::Not': (argument, scope) => !asList(resolve(argument, scope), 'Fn::Not')[0],
  'Fn::And': (argument, scope) => asList(resolve(argument, scope), 'Fn::And').every(Boolean),
  'Fn::Or': (argument, scope) => asList(resolve(argument, scope), 'Fn::Or').some(Boolean),
  'Fn::FindInMap': (argument, scope) => {
    const [map, top, second] = resolve(argument, scope) as [string, string, string];
    return scope.mapping(map, top, second);
  },
  'Fn::Base64': (argument, scope) => Buffer.from(asText(resolve(argument, scope), 'Fn::Base64')).toString('base64'),
};

const resolveRecord = (record: Record<string, unknown>, scope: Scope): unknown => {
  const [only, ...others] = Object.keys(record);
  if (only !== undefined && others.length === 0) {
    const call = functions[only];
    if (call !== undefined && !(only === 'Condition' && isRecord(record[only]))) return call(record[only], scope);
    if (only.startsWith('Fn::')) throw new Error(`The sandbox does not know the intrinsic function ${only}.`);
  }
  const entries = Object.entries(record).map(([key, value]) => [key, resolve(value, scope)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== noValue));
};

/**
 * Replaces every intrinsic function in a part of a template by its value.
 * @throws naming the function, when it is not one that the sandbox knows.
 */
export const resolve = (value: unknown, scope: Scope): unknown => {
  if (Array.isArray(value)) return value.map((part) => resolve(part, scope)).filter((part) => part !== noValue);
  return isRecord(value) ? resolveRecord(value, scope) : value;
};

/** Logical ids and parameters that a part of a template refers to. */
export const referencesIn = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, argument]) => {
    if (key === 'Ref') return [String(argument)];
    if (key === 'Fn::GetAtt') return [String(Array.isArray(argument) ? argument[0] : String(argument).split('.')[0])];
    if (key !== 'Fn::Sub') return referencesIn(argument);
    const text = String(Array.isArray(argument) ? argument[0] : argument);
    const named = [...text.matchAll(/\$\{([^!}][^}]*)\}/g)].map(([, name]) => String(name).split('.')[0] as string);
    return [...named, ...referencesIn(argument)];
  });
};
