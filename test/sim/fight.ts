import { type Chronicle, chronicleOf } from '../../sandbox/judge/chronicle.ts';
import { isFunction } from '../../sandbox/judge/life.ts';
import { type Outside, otherSizes, outsideOnes, wantedStay } from '../../sandbox/judge/rules/outside.ts';
import { forkRandom } from '../../sandbox/random.ts';
import { play } from './play.ts';
import { drawOutside, type WriterKind, writerKinds } from './profiles/outside.ts';
import { drawFrom } from './random-draw.ts';

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
};

const letGoUnused = (chronicle: Chronicle, { group }: Outside): number =>
  chronicle.livesIn(group).filter((life) => isFunction(life.by) && life.stays.length === 0 && isFunction(life.ending?.by)).length;

/** Shorter ones are an attach and its taking down. */
const attachMs = 5_000;

const foughtIn = (chronicle: Chronicle, one: Outside, broken: readonly string[]): Fought => {
  const spans = otherSizes(chronicle, one);
  const longest = (isOne: (span: (typeof spans)[number]) => boolean): number =>
    Math.max(0, ...spans.filter(isOne).map(({ fromMs, untilMs }) => untilMs - fromMs));
  const lost = new Set(spans.filter(({ word, fromMs, untilMs }) => word.isBetween && untilMs - fromMs > attachMs).map(({ word }) => word));
  const { endedAtMs } = chronicle.history;
  return {
    broken,
    writes: one.words.length - 1,
    lost: lost.size,
    wantedEnded: wantedStay.broken(chronicle).length,
    inVain: letGoUnused(chronicle, one),
    belowMs: longest(({ desired, word }) => desired < word.size),
    aboveMs: longest(({ desired, word }) => desired > word.size),
    endsAsSet: chronicle.cloud.asgAt(one.asg, endedAtMs)?.desired === one.words.at(-1)?.size,
  };
};

const fight = async (seed: number, kinds: readonly WriterKind[]): Promise<readonly Fought[]> => {
  const world = drawOutside(drawFrom(forkRandom(seed, 'situation')), kinds);
  const { history, violations } = await play({ name: `fight ${seed} (${kinds.join(' and ')})`, seed, ...world });
  const chronicle = chronicleOf(history);
  const broken = violations.map(({ invariant, detail }) => `  broken in world ${seed}, ${kinds.join(' and ')}: ${invariant}: ${detail.join('; ')}`);
  return outsideOnes(chronicle).map((one) => foughtIn(chronicle, one, broken));
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

/** Plays so many random worlds for each kind of writer, and tells what became of what they wrote. Returns how many worlds broke a rule. */
export const fightTest = async (count: number, from: number, say: (text: string) => void): Promise<number> => {
  const found: Fought[] = [];
  say(
    '| kind of writer | worlds | writes | wanted members ended | writes lost | longest below the set size, s | longest above it, s | worlds that end as set | launches in vain |',
  );
  say('|---|---:|---:|---:|---:|---:|---:|---:|---:|');
  for (const kinds of [...writerKinds.map((kind) => [kind]), ...pairs]) {
    const fights: Fought[] = [];
    for (let seed = from; seed < from + count; seed += 1) fights.push(...(await fight(seed, kinds)));
    found.push(...fights.filter(({ broken }) => broken.length > 0));
    say(rowOf(kinds, fights));
  }
  for (const { broken } of found) for (const line of broken) say(line);
  say(`${found.length} worlds broke a rule.`);
  return found.length;
};
