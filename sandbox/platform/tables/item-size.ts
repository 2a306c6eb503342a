import type { AttributeMap } from './stream.ts';

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** Two digits a byte, one byte for sign and exponent; zeros before and after the digits that count are free. */
const numberBytes = (text: string): number => {
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');
  return 1 + Math.ceil(digits.length / 2) + (text.startsWith('-') ? 1 : 0);
};

const sum = (values: unknown, size: (value: never) => number): number =>
  (values as readonly never[]).reduce((total: number, value) => total + size(value), 0);

/** Lists and maps take three bytes, and one for each of their members. */
const sizes: Readonly<Record<string, (value: never) => number>> = {
  S: bytesOf,
  N: numberBytes,
  B: (value: string) => Buffer.byteLength(value, 'base64'),
  NULL: () => 1,
  BOOL: () => 1,
  SS: (values: readonly string[]) => sum(values, bytesOf),
  NS: (values: readonly string[]) => sum(values, numberBytes),
  L: (values: readonly AttributeMap[string][]) => 3 + values.length + sum(values, attributeBytes),
  M: (map: AttributeMap) => 3 + Object.keys(map).length + itemBytes(map),
};

const attributeBytes = (attribute: AttributeMap[string]): number => {
  for (const type in attribute) return sizes[type]?.(attribute[type] as never) ?? 0;
  return 0;
};

/** An item's size as DynamoDB counts it ("DynamoDB item sizes and formats"): names and values in UTF-8. */
export const itemBytes = (item: AttributeMap): number => {
  let bytes = 0;
  for (const name in item) bytes += bytesOf(name) + attributeBytes(item[name] as AttributeMap[string]);
  return bytes;
};
