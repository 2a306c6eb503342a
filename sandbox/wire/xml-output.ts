import { writeScalar } from './scalars.ts';
import { givenMembers, type Shape } from './schemas.ts';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' };
export const escapeXml = (text: string): string => text.replace(/[&<>"\r]/g, (character) => entities[character] ?? character);

export const element = (name: string, content: string): string => `<${name}>${content}</${name}>`;

const writeList = (name: string, shape: Shape, values: readonly unknown[]): string => {
  const member = shape.getValueSchema();
  if (shape.getMergedTraits().xmlFlattened) return values.map((value) => writeElement(name, member, value)).join('');
  const itemName = member.getMergedTraits().xmlName ?? 'member';
  return element(name, values.map((value) => writeElement(itemName, member, value)).join(''));
};

const writeMap = (name: string, shape: Shape, value: Readonly<Record<string, unknown>>): string => {
  const keyName = shape.getKeySchema().getMergedTraits().xmlName ?? 'key';
  const valueName = shape.getValueSchema().getMergedTraits().xmlName ?? 'value';
  const entries = Object.entries(value).map(
    ([key, item]) => element(keyName, escapeXml(key)) + writeElement(valueName, shape.getValueSchema(), item),
  );
  return shape.getMergedTraits().xmlFlattened
    ? entries.map((entry) => element(name, entry)).join('')
    : element(name, entries.map((entry) => element('entry', entry)).join(''));
};

/** One member of a response as XML. Throws if a value does not fit its schema, because AWS could not return it. */
const writeElement = (name: string, shape: Shape, value: unknown): string => {
  if (shape.isListSchema()) {
    if (!Array.isArray(value)) throw new TypeError(`${shape.getMemberName()} must be a list, not ${typeof value}`);
    return writeList(name, shape, value);
  }
  if (shape.isMapSchema()) return writeMap(name, shape, value as Readonly<Record<string, unknown>>);
  if (shape.isStructSchema()) return element(name, writeMembers(shape, value));
  return element(name, escapeXml(String(writeScalar(shape, value, 'dateTime'))));
};

/** The members of a structure, without an element around them. */
export const writeMembers = (shape: Shape, value: unknown): string =>
  givenMembers(shape, value)
    .map(([name, member, item]) => writeElement(member.getMemberTraits().xmlName ?? name, member, item))
    .join('');
