import { type Document, isNode, isScalar, parseAllDocuments, visit } from 'yaml';
import { nearestName, type Problem, problemOf, showFound } from '../../core/policy/problem.ts';
import { asMap } from '../../core/policy/reading.ts';

export type DocumentReading =
  | { readonly kind: 'read'; readonly document: unknown }
  | { readonly kind: 'unreadable'; readonly problems: readonly Problem[] };

const unreadable = (found: string, allowed: string): DocumentReading => ({
  kind: 'unreadable',
  problems: [problemOf({ path: [], found, allowed })],
});

/**
 * The attribute `policy` as a document: a map as it is, a string read as YAML (of which JSON is a part). Never throws.
 *
 * @param others names of the item's other attributes: one of them may be `policy` misspelt.
 */
export const readDocument = (attribute: unknown, others: readonly string[] = []): DocumentReading => {
  if (attribute === undefined) {
    const allowed = 'the group document under the attribute policy';
    const nearest = nearestName('policy', others);
    const found = 'no attribute policy in the item';
    return { kind: 'unreadable', problems: [problemOf({ path: [], found, allowed, nearest })] };
  }
  if (typeof attribute === 'string') return readText(attribute);
  // DynamoDB's binary data and sets are objects without fields of a policy.
  return Array.isArray(attribute) || asMap(attribute) !== undefined
    ? { kind: 'read', document: attribute }
    : unreadable(showFound(attribute), 'a map, or text in YAML or JSON');
};

/** The bound of other documents applies to text too, because the time of the parser grows faster than the text. */
const mostCharacters = 100_000;

const readText = (text: string): DocumentReading => {
  if (text.length > mostCharacters)
    return unreadable(`text of ${text.length} characters`, `at most ${mostCharacters} characters`);
  try {
    return parseText(text);
  } catch (problem) {
    // The text nests without end, or has aliases that refer to nothing or multiply without bound. Aliases show that
    // only when they are followed.
    return notYaml(problem instanceof Error ? problem.message : 'aliases');
  }
};

const parseText = (text: string): DocumentReading => {
  // Hostile text makes the parser's own checks for repeated keys, and its positions of errors, take minutes.
  const all = parseAllDocuments(text, { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' });
  const documents = 'empty' in all ? [] : all;
  // An unknown tag is only a warning of the parser, but its meaning would be lost.
  const [error] = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  if (error) return notYaml(`${error.message} at ${placeOf(text, error.pos[0])}`);
  const [first, second] = documents.filter(({ contents }) => !isEmpty(contents));
  if (second) return unreadable(`a second document at ${placeOf(text, second.range[0])}`, oneDocument);
  const repeated = first && repeatedKey(first);
  if (repeated !== undefined) return notYaml(`Map keys must be unique at ${placeOf(text, repeated)}`);
  return { kind: 'read', document: first?.toJS() as unknown };
};

const oneDocument = 'one document: one group in an item, and nothing after --- or ...';

/** Whether a document is empty: between two `---`, or after the last one. */
const isEmpty = (contents: unknown): boolean =>
  contents === null || (isScalar(contents) && contents.value === null && contents.source === '');

/** Text that nests too deep for the parser exhausts its stack. */
const notYaml = (why: string): DocumentReading =>
  /call stack/.test(why)
    ? unreadable('text that nests too deep to read', 'maps and lists at most 40 deep')
    : unreadable(`text that is not YAML (${firstLine(why)})`, 'YAML or JSON');

/** The position of the first repeated key of a map. */
const repeatedKey = (parsed: Document): number | undefined => {
  let at: number | undefined;
  visit(parsed, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? String(key.value) : key;
        if (seen.has(name)) {
          at = isNode(key) ? key.range?.[0] : 0;
          return visit.BREAK;
        }
        seen.add(name);
      }
      return undefined;
    },
  });
  return at;
};

const placeOf = (text: string, position: number): string => {
  const lines = text.slice(0, position).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
};

const firstLine = (message: string): string => (message.split('\n')[0] ?? message).replace(/:$/, '').slice(0, 200);
