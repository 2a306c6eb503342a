import type { Workshop } from './broken-assembly.ts';
import { editsOf, type PutBack } from './mutant.ts';
import type { Player } from './player.ts';
import { appliedOr, namesOf, row, say, secondsSince } from './table.ts';

/** What each fault breaks in its own situation when it is put back. Returns how many break nothing, or have a situation that does not hold as it is. */
export const huntInSituations = async (player: Player, workshop: Workshop, wanted: readonly PutBack[]): Promise<number> => {
  const sound = new Map<string, string>();
  const holdsAsItIs = async (situation: string): Promise<string> => {
    const known = sound.get(situation) ?? namesOf((await player.play({ situation, assembly: workshop.whole })).broken);
    sound.set(situation, known);
    return known;
  };
  const hunt = async (putBack: PutBack): Promise<{ readonly isCaught: boolean; readonly text: string }> => {
    const unsound = await holdsAsItIs(putBack.situation);
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
  for (const putBack of wanted) {
    const startedMs = Date.now();
    const { isCaught, text } = await hunt(putBack);
    if (!isCaught) survivors += 1;
    say(row([putBack.name, text, putBack.situation, secondsSince(startedMs)]));
  }
  return survivors;
};
