import { type Chronicle, chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { type Outside, otherSizes, outsideOnes, wantedStay } from '../../sandbox/judge/rules/size/outside.ts';
import { isFunction } from '../../sandbox/judge/world/life.ts';
import { seeingOf, sizeShownAt } from '../../sandbox/judge/world/outside.ts';
import { forkRandom } from '../../sandbox/random.ts';
import { type Hooks, play } from './play.ts';
import { drawOutside, type WriterKind, writerKinds } from './profiles/outside.ts';
import { drawFrom, type Trouble } from './random-draw.ts';
import { withOwnerWeights } from './random-owner-weights.ts';

/** What one world of somebody who sets sizes came to. */
type Fought = {
  /** Rules that it broke, with what was found. */
  readonly broken: readonly string[];
  readonly writes: number;
  /** Writes between a look of Holdfast's and its own write, after which the group had another size until the next write. */
  readonly lost: number;
  readonly wantedEnded: number;
  /** Instances that were launched, never joined, and were let go. */
  readonly inVain: number;
  /** The longest times in which the desired capacity was below and above what was set, in ms. */
  readonly belowMs: number;
  readonly aboveMs: number;
  readonly endsAsSet: boolean;
  /** What of this is worth a look, each with the line that plays the world again. */
  readonly notable: readonly string[];
};

/** One line that plays this world again. */
const replayOf = (seed: number, kinds: readonly WriterKind[], always: Trouble | undefined): string =>
  `npm run sim -- --fight 1 --from ${seed} --writers ${kinds.join()}${always === undefined ? '' : ` --always ${always}`} --trace`;

const letGoUnused = (chronicle: Chronicle, { group }: Outside): number =>
  chronicle.livesIn(group).filter((life) => isFunction(life.by) && life.stays.length === 0 && isFunction(life.ending?.by)).length;

/** Shorter ones are an attach and its taking down. */
const attachMs = 5_000;

/** A time above the set size that lasts as long is told: an addition was not taken down by the function that attached, nor by the look soon after. */
const longAboveMs = 15_000;

type Span = ReturnType<typeof otherSizes>[number];

/** The sizes that a write may have meant. Who moves a number that counts what an attach added may mean it with the addition, or without. */
const meantBy = ({ of }: Chronicle, { asg }: Outside, { atMs, size, isBetween }: Span['word']): readonly number[] => {
  const written = of('size-written').filter((one) => isBetween && one.asg === asg && one.atMs === atMs);
  return [size, ...written.map((one) => one.size)];
};

/** Times in which the desired capacity was no size that others may have meant. */
const unmeantSizes = (chronicle: Chronicle, one: Outside): readonly Span[] =>
  otherSizes(chronicle, one).filter(({ desired, word }) => !meantBy(chronicle, one, word).includes(desired));

const endsAsSet = (chronicle: Chronicle, one: Outside): boolean => {
  const [last, end] = [one.words.at(-1), chronicle.cloud.asgAt(one.asg, chronicle.history.endedAtMs)];
  return last === undefined || (end !== undefined && meantBy(chronicle, one, last).includes(end.desired));
};

/** A write is not lost if the desired capacity is its size and what an attach has added. */
const isLost =
  (chronicle: Chronicle, { asg }: Outside) =>
  ({ word, fromMs, untilMs }: Span): boolean =>
    word.isBetween && untilMs - fromMs > attachMs && sizeShownAt(seeingOf(chronicle), asg, untilMs - 1) !== word.size;

const notableIn = (chronicle: Chronicle, one: Outside, spans: readonly Span[]): readonly string[] => {
  const { history, cloud } = chronicle;
  const atS = (ms: number): string => ((ms - history.beganAtMs) / 1_000).toFixed(1);
  const told = spans.map((span): string | undefined => {
    const { desired, word, fromMs, untilMs } = span;
    const times = `from ${atS(fromMs)} to ${atS(untilMs)} s, ${((untilMs - fromMs) / 1_000).toFixed(1)} s`;
    const sizes = `desired ${desired}, set ${word.size} at ${atS(word.atMs)} s`;
    if (desired < word.size) return `below: ${sizes}: ${times}`;
    if (isLost(chronicle, one)(span)) return `a write lost: ${sizes}: ${times}`;
    return untilMs - fromMs >= longAboveMs ? `above: ${sizes}: ${times}` : undefined;
  });
  const [end, set] = [cloud.asgAt(one.asg, history.endedAtMs)?.desired, one.words.at(-1)?.size];
  return [...told.filter((text) => text !== undefined), ...(endsAsSet(chronicle, one) ? [] : [`at the end: desired ${end}, set ${set}`])];
};

const foughtIn = (chronicle: Chronicle, one: Outside, broken: readonly string[], replay: string): Fought => {
  const spans = unmeantSizes(chronicle, one);
  const longest = (isOne: (span: (typeof spans)[number]) => boolean): number =>
    Math.max(0, ...spans.filter(isOne).map(({ fromMs, untilMs }) => untilMs - fromMs));
  const lost = new Set(spans.filter(isLost(chronicle, one)).map(({ word }) => word));
  return {
    broken,
    notable: notableIn(chronicle, one, spans).map((text) => `  ${text}: ${replay}`),
    writes: one.words.length - 1,
    lost: lost.size,
    wantedEnded: wantedStay.broken(chronicle).length,
    inVain: letGoUnused(chronicle, one),
    belowMs: longest(({ desired, word }) => desired < word.size),
    aboveMs: longest(({ desired, word }) => desired > word.size),
    endsAsSet: endsAsSet(chronicle, one),
  };
};

const fight = async (seed: number, kinds: readonly WriterKind[], { always, onEnd }: Pick<Fights, 'always' | 'onEnd'>): Promise<readonly Fought[]> => {
  const drawn = drawOutside(drawFrom(forkRandom(seed, 'situation'), always), kinds);
  const world = withOwnerWeights(drawn, drawFrom(forkRandom(seed, 'owner weights'), always));
  const situation = { name: `fight ${seed} (${kinds.join(' and ')})`, seed, ...world };
  const { history, violations } = await play(situation, onEnd === undefined ? {} : { onEnd });
  const chronicle = chronicleOf(history);
  const replay = replayOf(seed, kinds, always);
  const broken = violations.map(({ invariant, detail }) => `  broken: ${replay}\n    ${invariant}: ${detail.join('; ')}`);
  return outsideOnes(chronicle).map((one) => foughtIn(chronicle, one, broken, replay));
};

const sumOf = (fights: readonly Fought[], of: (one: Fought) => number): number => fights.reduce((sum, one) => sum + of(one), 0);
const secondsOf = (fights: readonly Fought[], of: (one: Fought) => number): string => (Math.max(0, ...fights.map(of)) / 1_000).toFixed(1);

const rowOf = (kinds: readonly WriterKind[], fights: readonly Fought[]): string =>
  [
    '',
    kinds.join(' and '),
    fights.length,
    sumOf(fights, ({ writes }) => writes),
    sumOf(fights, ({ wantedEnded }) => wantedEnded),
    sumOf(fights, ({ lost }) => lost),
    secondsOf(fights, ({ belowMs }) => belowMs),
    secondsOf(fights, ({ aboveMs }) => aboveMs),
    sumOf(fights, ({ endsAsSet }) => Number(endsAsSet)),
    sumOf(fights, ({ inVain }) => inVain),
    '',
  ]
    .join(' | ')
    .trim();

const pairs: readonly (readonly WriterKind[])[] = [
  ['absolute', 'person'],
  ['steps', 'target-tracking'],
];

type Fights = {
  readonly count: number;
  readonly from: number;
  /** Only these writers, together in each world. */
  readonly writers?: readonly WriterKind[];
  /** Trouble that every world has. */
  readonly always?: Trouble | undefined;
  readonly say: (text: string) => void;
  readonly onEnd?: Hooks['onEnd'];
};

/**
 * Plays so many random worlds for each kind of writer, and tells what became of what they wrote, with a line that plays each notable world again.
 * Returns how many worlds broke a rule.
 */
export const fightTest = async ({ count, from, writers, say, ...how }: Fights): Promise<number> => {
  const found: Fought[] = [];
  say(
    '| kind of writer | worlds | writes | wanted members ended | writes lost | longest below the set size, s | longest above it, s | worlds that end as set | launches in vain |',
  );
  say('|---|---:|---:|---:|---:|---:|---:|---:|---:|');
  for (const kinds of writers === undefined ? [...writerKinds.map((kind) => [kind]), ...pairs] : [writers]) {
    const fights: Fought[] = [];
    for (let seed = from; seed < from + count; seed += 1) fights.push(...(await fight(seed, kinds, how)));
    found.push(...fights);
    say(rowOf(kinds, fights));
  }
  for (const { notable } of found) for (const line of notable) say(line);
  const broke = found.filter(({ broken }) => broken.length > 0);
  for (const { broken } of broke) for (const line of broken) say(line);
  say(`${broke.length} worlds broke a rule.`);
  return broke.length;
};
