import type { Workshop } from './broken-assembly.ts';
import { editsOf, type PutBack } from './mutant.ts';
import { type Player, withPlayers } from './player.ts';
import { appliedOr, namesOf, row, say, secondsSince } from './table.ts';

/**
 * What each fault breaks in its own situation when it is put back, so many at the same time. Returns how many break nothing, or have a situation that
 * does not hold as it is.
 */
export const huntInSituations = async (workshop: Workshop, wanted: readonly PutBack[], jobs: number): Promise<number> => {
  const known = new Map<string, Promise<string>>();
  const playAsItIs = async (player: Player, situation: string): Promise<string> =>
    namesOf((await player.play({ situation, assembly: workshop.whole })).broken);
  const brokenAsItIs = (player: Player, situation: string): Promise<string> => {
    const found = known.get(situation) ?? playAsItIs(player, situation);
    known.set(situation, found);
    return found;
  };
  const hunt = async (player: Player, putBack: PutBack): Promise<{ readonly isCaught: boolean; readonly text: string }> => {
    const unsound = await brokenAsItIs(player, putBack.situation);
    if (unsound !== '') return { isCaught: false, text: `BROKEN AS IT IS: ${unsound}` };
    let text = '';
    const assembly = await appliedOr(workshop.breakCode(putBack.name, editsOf(putBack)), (why) => (text = why));
    if (assembly === undefined) return { isCaught: false, text };
    const caught = namesOf((await player.play({ situation: putBack.situation, assembly })).broken);
    return { isCaught: caught !== '', text: caught === '' ? 'SURVIVED' : caught };
  };
  say(row(['fault put back', 'breaks', 'situation', 'time']));
  say(row(['---', '---', '---', '---']));
  let survivors = 0;
  await withPlayers(wanted, jobs, async (putBack, player) => {
    const startedMs = Date.now();
    const { isCaught, text } = await hunt(player, putBack);
    if (!isCaught) survivors += 1;
    say(row([putBack.name, text, putBack.situation, secondsSince(startedMs)]));
  });
  return survivors;
};
