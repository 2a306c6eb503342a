import { ApiError } from '../api.ts';
import { readScalar } from './scalars.ts';
import { requiredMembers, type Shape } from './schemas.ts';

type Style = 'ec2' | 'query';
/** Parameters as a tree, split at the dots of their names: `Filter.1.Name=a` is under Filter, 1, Name. */
export type Parameters = { text?: string; readonly children: Map<string, Parameters> };

const emptyParameters = (): Parameters => ({ children: new Map() });

export const parseParameters = (form: URLSearchParams): Parameters => {
  const root = emptyParameters();
  for (const [name, text] of form) {
    let node = root;
    for (const part of name.split('.')) {
      const child = node.children.get(part) ?? emptyParameters();
      node.children.set(part, child);
      node = child;
    }
    node.text = text;
  }
  return root;
};

const capitalise = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** EC2 has its own names for input, and capitalizes the rest. The query protocol uses the XML names. */
const parameterName = (member: Shape, name: string, style: Style): string => {
  const { ec2QueryName, xmlName } = member.getMergedTraits();
  if (style === 'query') return xmlName ?? name;
  return typeof ec2QueryName === 'string' ? ec2QueryName : capitalise(xmlName ?? name);
};

const inOrder = (node: Parameters): readonly Parameters[] =>
  [...node.children].sort(([one], [other]) => Number(one) - Number(other)).map(([, child]) => child);

const readList = (shape: Shape, node: Parameters, style: Style): readonly unknown[] => {
  const member = shape.getValueSchema();
  const isFlat = style === 'ec2' || Boolean(shape.getMergedTraits().xmlFlattened);
  const items = isFlat ? node : node.children.get(member.getMergedTraits().xmlName ?? 'member');
  return items === undefined ? [] : inOrder(items).map((item) => readParameters(member, item, style));
};

const readMap = (shape: Shape, node: Parameters, style: Style): Record<string, unknown> => {
  const entries = shape.getMergedTraits().xmlFlattened ? node : (node.children.get('entry') ?? emptyParameters());
  const keyName = shape.getKeySchema().getMergedTraits().xmlName ?? 'key';
  const valueName = shape.getValueSchema().getMergedTraits().xmlName ?? 'value';
  const pairs = inOrder(entries).map((entry) => {
    const value = entry.children.get(valueName) ?? emptyParameters();
    return [entry.children.get(keyName)?.text ?? '', readParameters(shape.getValueSchema(), value, style)] as const;
  });
  return Object.fromEntries(pairs);
};

const refuseMissing = (shape: Shape, given: Readonly<Record<string, unknown>>): void => {
  const missing = requiredMembers(shape).find((name) => given[name] === undefined);
  if (missing !== undefined) throw new ApiError('MissingParameter', `The request must contain the parameter ${missing}`);
};

/** EC2 refuses unknown parameters, so a misspelt name is never ignored. */
const refuseUnknown = (node: Parameters, known: ReadonlySet<string>): void => {
  const unknown = [...node.children.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw new ApiError('UnknownParameter', `The parameter ${unknown} is not recognized`);
};

const readStructure = (shape: Shape, node: Parameters, style: Style): Record<string, unknown> => {
  const value: Record<string, unknown> = {};
  const known = new Set<string>();
  for (const [name, member] of shape.structIterator()) {
    const parameter = parameterName(member, name, style);
    known.add(parameter);
    const child = node.children.get(parameter);
    if (child !== undefined) value[name] = readParameters(member, child, style);
  }
  if (style === 'ec2') refuseUnknown(node, known);
  refuseMissing(shape, value);
  return value;
};

/**
 * Reads query parameters by the operation's schema.
 * @throws ApiError when a parameter is missing, malformed or (EC2) unknown.
 */
export const readParameters = (shape: Shape, node: Parameters, style: Style): unknown => {
  if (shape.isListSchema()) return readList(shape, node, style);
  if (shape.isMapSchema()) return readMap(shape, node, style);
  if (shape.isStructSchema()) return readStructure(shape, node, style);
  return readScalar(shape, node.text ?? '');
};
