import { attacked } from './attacked.ts';
import { calling } from './calling.ts';
import { deciding } from './deciding.ts';
import { harmful } from './harmful.ts';
import { launching } from './launching.ts';
import { leaving } from './leaving.ts';
import { limits } from './limits.ts';
import { listening } from './listening.ts';
import { meetings } from './meetings.ts';
import { modes } from './modes.ts';
import type { Mutant } from './mutant.ts';
import { obeying } from './obeying.ts';
import { obvious } from './obvious.ts';
import { outside } from './outside.ts';
import { ownScaling } from './own-scaling.ts';
import { passingOn } from './passing-on.ts';
import { promised } from './promised.ts';
import { recorded } from './recorded.ts';
import { records } from './records.ts';
import { refilling } from './refilling.ts';
import { remembering } from './remembering.ts';
import { returning } from './returning.ts';
import { reviewed } from './reviewed.ts';
import { said } from './said.ts';
import { shares } from './shares.ts';
import { storms } from './storms.ts';
import { strangers } from './strangers.ts';
import { tired } from './tired.ts';
import { weights } from './weights.ts';

/** Every mutant. A mutant's name is its own. */
export const mutants: readonly Mutant[] = [
  ...attacked,
  ...calling,
  ...deciding,
  ...harmful,
  ...launching,
  ...leaving,
  ...limits,
  ...listening,
  ...meetings,
  ...modes,
  ...obeying,
  ...outside,
  ...ownScaling,
  ...passingOn,
  ...promised,
  ...recorded,
  ...records,
  ...refilling,
  ...remembering,
  ...returning,
  ...reviewed,
  ...said,
  ...shares,
  ...storms,
  ...strangers,
  ...tired,
  ...obvious,
  ...weights,
];
