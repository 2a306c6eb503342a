import { parseDocument } from 'yaml';
import { type Problem, problemOf, showFound } from '../../core/policy/problem.ts';

export type DocumentReading =
  | { readonly kind: 'read'; readonly document: unknown }
  | { readonly kind: 'unreadable'; readonly problems: readonly Problem[] };

const unreadable = (found: string, allowed: string): DocumentReading => ({ kind: 'unreadable', problems: [problemOf({ path: [], found, allowed })] });

/** The attribute `policy` as a document: a map as it is, a string read as YAML (of which JSON is a part). Never throws. */
export const readDocument = (attribute: unknown): DocumentReading => {
  if (attribute === undefined) return unreadable('no attribute policy in the item', 'the group document under the attribute policy');
  if (typeof attribute !== 'string') {
    const isMap = typeof attribute === 'object' && attribute !== null;
    return isMap ? { kind: 'read', document: attribute } : unreadable(showFound(attribute), 'a map, or text in YAML or JSON');
  }
  return readText(attribute);
};

const readText = (text: string): DocumentReading => {
  const parsed = parseDocument(text, { prettyErrors: true, logLevel: 'silent' });
  const [error] = parsed.errors;
  if (error) return unreadable(`text that is not YAML (${firstLine(error.message)})`, 'YAML or JSON');
  try {
    return { kind: 'read', document: parsed.toJS() as unknown };
  } catch (problem) {
    // Aliases that refer to nothing, or that multiply beyond all measure, show only when they are followed.
    return unreadable(`text that is not YAML (${problem instanceof Error ? firstLine(problem.message) : 'aliases'})`, 'YAML or JSON');
  }
};

const firstLine = (message: string): string => (message.split('\n')[0] ?? message).replace(/:$/, '');
