const mostColumns = 120;
const onlyUrl = /^\s*['"`*/ ]*https:\/\/\S+$/;

/** Lines of a product file that are longer than a line may be. */
export const longLines = (file: string, text: string): readonly string[] =>
  text
    .split('\n')
    .flatMap((line, index) => (line.length <= mostColumns || onlyUrl.test(line) ? [] : [`${file}:${index + 1}: ${line.length} columns`]));

const mostLines = 250;

/** Whether a product file is too long to be read at once: one concept a file. */
export const isLong = (text: string): boolean => text.trimEnd().split('\n').length > mostLines;

type Phrase = {
  readonly pattern: RegExp;
  /** What to write. */
  readonly instead: string;
  /** A sentence that has the phrase. */
  readonly example: string;
};

/** Phrases that stop a reader, and what to write in their place. */
export const forbidden: readonly Phrase[] = [
  { pattern: /\bAnswers (whether|which|how|what|the swaps|those|an? \w+ of)\b/, instead: 'Returns', example: 'Answers how many broke.' },
  { pattern: /\bfound .+, allowed is\b/, instead: 'expected X, found Y', example: 'found 300, allowed is a duration' },
  { pattern: /\basked for\b/i, instead: 'requested, or launched', example: 'Instances are asked for once.' },
  { pattern: /\b(tells?|told|telling) of\b/i, instead: 'reports', example: 'It tells of every change.' },
  { pattern: /\b(hears?|heard) of\b/i, instead: 'received, or reported', example: 'A hook is heard of late.' },
  { pattern: /\btold on the bus\b/i, instead: 'sent to the bus', example: 'The end is told on the bus.' },
  { pattern: /\bto be had\b/i, instead: 'available', example: 'No spot is to be had.' },
  { pattern: /\bwhat came of\b/i, instead: 'the result of, or its outcome', example: 'It stores what came of it.' },
  { pattern: /\b(is|are|was) none of\b/i, instead: 'is not one of', example: 'The name is none of them.' },
  { pattern: /\bknows? no (?!longer)/i, instead: 'has no', example: 'It knows no resources.' },
  { pattern: /\bfor want of\b/i, instead: 'for lack of', example: 'It fails for want of room.' },
  { pattern: /\bbut for (?!(some|several|a (long|short))\b)/i, instead: 'except for', example: 'Nothing runs but for a tick.' },
  { pattern: /\bfor ever\b/i, instead: 'forever', example: 'It is kept for ever.' },
  { pattern: /\b(no|any)?one too many\b/i, instead: 'one more than needed', example: 'That would be one too many.' },
  { pattern: /\bborne out\b/i, instead: 'confirmed', example: 'It is borne out by the log.' },
  { pattern: /\b(nothing|no deadline|what) presses\b/i, instead: 'there is no deadline', example: 'Where nothing presses, it waits.' },
  { pattern: /\bwhat stands there\b/i, instead: 'the present value', example: 'It keeps what stands there.' },
  { pattern: /\bstands? (beside|in|for itself)\b(?! (for|the way))/i, instead: 'is in, or is beside', example: 'The item stands in the table.' },
  { pattern: /\bnewcomers?\b/i, instead: 'new member, or new user', example: 'A newcomer serves.' },
  { pattern: /\bsuccessors?\b/i, instead: 'replacement', example: 'Its successor serves.' },
  { pattern: /\blets? go i-/i, instead: 'leaves: i-', example: 'lets go i-0123' },
  { pattern: /\bis there for\b/i, instead: 'because, or what it does', example: 'It is there for crashes.' },
  { pattern: /\bin peace\b/i, instead: 'alone', example: 'It is left in peace.' },
  { pattern: /\b(dies?|died) before (it|they) (runs?|ran|serve[sd]?)\b/i, instead: 'ended before it served', example: 'It died before it served.' },
  { pattern: /\banswers (true|false|nothing|undefined|when)\b/i, instead: 'returns', example: 'It answers true at rest.' },
  { pattern: /\bfor so (long|many|much) at most\b/i, instead: 'for at most this long', example: 'It waits for so long at most.' },
  { pattern: /\bwhat fell short\b/i, instead: 'the shortfall', example: 'It says what fell short.' },
];

const strings = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.)*`/g;

/** The text of a line that a person reads: all of a document, and the comments and texts of code. */
const readIn = (file: string, line: string): string => {
  if (file.endsWith('.md')) return line;
  if (/^\s*(\/\/|\/\*|\*)/.test(line)) return line;
  const texts = (line.match(strings) ?? []).filter((text) => text.includes(' ')).map((text) => text.replaceAll(/\$\{[^}]*\}/g, ''));
  return [...texts, /\s\/\/\s.*$/.exec(line)?.[0] ?? ''].join(' ');
};

/** Uses of a forbidden phrase in a text, with what to write instead. */
export const phrasesIn = (file: string, text: string): readonly string[] =>
  text.split('\n').flatMap((line, index) =>
    forbidden.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(readIn(file, line));
      return found === null ? [] : [`${file}:${index + 1}: "${found[0]}": write ${instead}`];
    }),
  );
