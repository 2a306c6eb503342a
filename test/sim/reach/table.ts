import { errorMeaningsOf, everyErrorMeaning, everyReason } from './codes.ts';
import { createLedger, type Ledger, type Script } from './ledger.ts';
import type { Reach } from './measure.ts';

/** All that was measured, and the places that ran. */
export type Measured = { readonly ledger: Ledger; readonly reach: readonly Reach[] };

export const together = (scripts: readonly Script[], reach: readonly Reach[]): Measured => {
  const ledger = createLedger(scripts);
  for (const { profile, ran } of reach) ledger.add(profile, ran);
  return { ledger, reach };
};

const share = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const below = (folder: string, places: ReadonlySet<string>): number => [...places].filter((place) => place.startsWith(`${folder}/`)).length;
const union = (sets: readonly Iterable<string>[]): ReadonlySet<string> => new Set(sets.flatMap((set) => [...set]));
const reasonsOf = ({ reasons }: Reach): readonly string[] => Object.keys(reasons);
const codesOf = ({ errorCodes }: Reach): readonly string[] => Object.keys(errorCodes);

/** By profile: the share of branches that it reaches, and the reasons and error codes. */
export const profileTable = ({ ledger, reach }: Measured): string => {
  const all = ledger.places();
  const line = (name: string, places: ReadonlySet<string>, worlds: number, reasons: Iterable<string>, codes: ReadonlySet<string>): string => {
    const known = union([reasons]);
    return row([
      name,
      worlds,
      share(below('core', places), below('core', all)),
      share(below('functions', places), below('functions', all)),
      everyReason.filter((reason) => known.has(reason)).length,
      codes.size,
      everyErrorMeaning.filter((meaning) => errorMeaningsOf(codes).has(meaning)).length,
    ]);
  };
  const profiles = reach.map((one) => line(`\`${one.profile}\``, ledger.reached(one.profile), one.worlds, reasonsOf(one), union([codesOf(one)])));
  const sum = line(
    'together',
    union(reach.map(({ profile }) => ledger.reached(profile))),
    reach.reduce((worlds, one) => worlds + one.worlds, 0),
    reach.flatMap(reasonsOf),
    union(reach.map(codesOf)),
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
    sum,
  ].join('\n');
};

/** The seed of the first world of a profile that reached a reason or a meaning of an error code. */
const seedOf = ({ reasons, errorCodes }: Reach, code: string): number | undefined => {
  const seeds = Object.entries(errorCodes).flatMap(([one, seed]) => (errorMeaningsOf([one]).has(code) ? [seed] : []));
  return reasons[code] ?? (seeds.length === 0 ? undefined : Math.min(...seeds));
};

/** In how many profiles each reason and each meaning of an error code was reached, and a world that reaches it. */
export const reasonTable = ({ reach }: Measured): string => {
  const lines = [...everyReason, ...everyErrorMeaning].map((code) => {
    const found = reach.flatMap((one) => [seedOf(one, code)].flatMap((seed) => (seed === undefined ? [] : [{ profile: one.profile, seed }])));
    const [first] = found;
    return row([code, found.length, first === undefined ? '' : `${first.seed} of \`${first.profile}\``]);
  });
  return [
    row(['list: code, or meaning of an error', `profiles that reach it (of ${reach.length})`, 'a world']),
    row(['---', '---', '---']),
    ...lines,
  ].join('\n');
};

/** What no profile has reached. */
export const neverReached = ({ ledger, reach }: Measured): { readonly places: readonly string[]; readonly codes: readonly string[] } => {
  const reached = union(reach.map(({ profile }) => ledger.reached(profile)));
  return {
    places: [...ledger.places()].filter((place) => !reached.has(place)).toSorted(),
    codes: [...everyReason, ...everyErrorMeaning].filter((code) => reach.every((one) => seedOf(one, code) === undefined)),
  };
};
