import { errorMeaningsOf, everyErrorMeaning, everyReason } from './codes.ts';
import type { Measured } from './measure.ts';

const share = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const below = (folder: string, places: ReadonlySet<string>): number => [...places].filter((place) => place.startsWith(`${folder}/`)).length;
const union = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> => new Set(sets.flatMap((set) => [...set]));

/** By profile: the share of branches that it reaches, and the reasons and error codes. */
export const profileTable = ({ ledger, reach }: Measured): string => {
  const all = ledger.places();
  const line = (name: string, places: ReadonlySet<string>, worlds: number, reasons: ReadonlySet<string>, codes: ReadonlySet<string>): string =>
    row([
      name,
      worlds,
      share(below('core', places), below('core', all)),
      share(below('functions', places), below('functions', all)),
      everyReason.filter((reason) => reasons.has(reason)).length,
      codes.size,
      everyErrorMeaning.filter((meaning) => errorMeaningsOf(codes).has(meaning)).length,
    ]);
  const profiles = [...reach].map(([name, { worlds, reasons, errorCodes }]) =>
    line(`\`${name}\``, ledger.reached(name), worlds, reasons, errorCodes),
  );
  const together = line(
    'together',
    union([...reach.keys()].map((name) => ledger.reached(name))),
    [...reach.values()].reduce((sum, { worlds }) => sum + worlds, 0),
    union([...reach.values()].map(({ reasons }) => reasons)),
    union([...reach.values()].map(({ errorCodes }) => errorCodes)),
  );
  return [
    row([
      'profile',
      'worlds',
      'branches of `core/`',
      'branches of `functions/`',
      `reasons (of ${everyReason.length})`,
      'error codes',
      `their meanings (of ${everyErrorMeaning.length})`,
    ]),
    row(Array.from({ length: 7 }, () => '---')),
    ...profiles,
    together,
  ].join('\n');
};

/** In how many profiles each reason and each meaning of an error code was reached: none is at zero, or it stands here. */
export const reasonTable = ({ reach }: Measured): string => {
  const reaches = [...reach.values()].map(({ reasons, errorCodes }) => union([reasons, errorMeaningsOf(errorCodes)]));
  const count = (code: string): number => reaches.filter((reached) => reached.has(code)).length;
  const lines = [...everyReason, ...everyErrorMeaning.map((meaning) => meaning)].map((code) => row([code, count(code)]));
  return [row(['reason, or meaning of an error code', `profiles that reach it (of ${reach.size})`]), row(['---', '---']), ...lines].join('\n');
};

/** What no profile has reached. */
export const neverReached = ({ ledger, reach }: Measured): { readonly places: readonly string[]; readonly codes: readonly string[] } => {
  const reached = union([...reach.keys()].map((name) => ledger.reached(name)));
  const codes = union([...reach.values()].flatMap(({ reasons, errorCodes }) => [reasons, errorMeaningsOf(errorCodes)]));
  return {
    places: [...ledger.places()].filter((place) => !reached.has(place)).toSorted(),
    codes: [...everyReason, ...everyErrorMeaning].filter((code) => !codes.has(code)),
  };
};
