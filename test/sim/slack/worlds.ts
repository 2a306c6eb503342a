import { play } from '../play.ts';
import { type Choice, randomSituation } from '../random-situation.ts';
import { type Kind, type Measured, measure, type Slack, slackBy } from './measure.ts';

const worlds: Readonly<Record<Kind, string>> = {
  strict: 'worlds without faults, of groups kept by tag',
  other: 'all other worlds',
};

/** Most of the false steps of a kind of world that may stay unseen, in percent. */
const goals: Readonly<Record<Kind, number>> = { strict: 0, other: 3 };

const percent = (unseen: number, planted: number): number => (planted === 0 ? 0 : (100 * unseen) / planted);
const sum = (slacks: readonly Slack[], key: 'planted' | 'unseen'): number => slacks.reduce((total, slack) => total + slack[key], 0);

/** So many worlds are named for each reason: enough to look into it. */
const seedsShown = 5;

const lineOf = ({ kind, planted, unseen, hiddenBy }: Slack): string => {
  const by = [...hiddenBy].map(([row, seeds]) => `${row} (${seeds.length}, in ${[...new Set(seeds)].slice(0, seedsShown).join(', ')})`).join('; ');
  return `    ${kind}: ${unseen} of ${planted}${by === '' ? '' : `, hidden by ${by}`}`;
};

/** Tells what was not seen in one kind of world; whether the goal is missed. */
const tell = (world: Kind, measured: readonly Measured[], say: (text: string) => void): boolean => {
  const slacks = slackBy(measured, world);
  const [planted, unseen] = [sum(slacks, 'planted'), sum(slacks, 'unseen')];
  say(`  ${worlds[world]}: ${unseen} of ${planted} false steps not seen, ${percent(unseen, planted).toFixed(2)} %; the goal is ${goals[world]} %`);
  for (const slack of slacks) say(lineOf(slack));
  return percent(unseen, planted) > goals[world];
};

/** Plays random worlds, plants false steps into what was recorded, and tells the share that the judge does not see. Returns how many goals are missed. */
export const slackOfWorlds = async (count: number, from: number, choice: Choice, say: (text: string) => void): Promise<number> => {
  const measured: Measured[] = [];
  const tellAll = (played: number): number => {
    say(`${played} of ${count} worlds from ${from}:`);
    return (Object.keys(worlds) as readonly Kind[]).filter((world) => tell(world, measured, say)).length;
  };
  for (let seed = from; seed < from + count; seed += 1) {
    const { history } = await play(randomSituation(seed, choice));
    for (const one of measure(seed, history)) measured.push(one);
    const played = seed - from + 1;
    if (played % 100 === 0 && played < count) tellAll(played);
  }
  return tellAll(count);
};
