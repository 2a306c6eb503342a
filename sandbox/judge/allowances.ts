import { begunLate } from './allowances/begun-late.ts';
import { closedUntold, openedUntold } from './allowances/breakers.ts';
import { startRefused } from './allowances/drain-starts.ts';
import { hookUnheard } from './allowances/hooks.ts';
import { leaseOfTheDead, noRoomForFleets, repeatIsDue, requestMetTrouble, shortPagesTakeTokens, writesWereSlow } from './allowances/requests.ts';
import { decisionsLost, drainedForgot, drainsForgot, endsForgot, swapsForgot, unreplacedForgot, warningsForgot } from './allowances/restored.ts';
import { hookHoldsNewcomers, membersFail, newcomersDie, refillsDie, sparesFail } from './allowances/serving.ts';
import { taggedOnceCallsWork, unexplainedAsDeleted, untaggedAsDeleted } from './allowances/tags.ts';
import { claimedUnderFault, shortUnheard, stoppedByHand, waitsInLine } from './allowances/told.ts';
import {
  backTooLate,
  begunByNobody,
  delaysUnknown,
  drainedByNobody,
  heardTooLate,
  heardWhileLetGo,
  letGoMeanwhile,
  neverDeregistered,
  neverHeard,
  outlivedUnderFaults,
  takenBeforeTime,
  takenUpLate,
} from './allowances/warned.ts';
import type { Allowance } from './finding.ts';

/** Everything that is excused, a row each. */
export const allowances: readonly Allowance[] = [
  neverHeard,
  heardTooLate,
  heardWhileLetGo,
  takenUpLate,
  backTooLate,
  takenBeforeTime,
  neverDeregistered,
  drainedByNobody,
  begunLate,
  begunByNobody,
  outlivedUnderFaults,
  startRefused,
  letGoMeanwhile,
  delaysUnknown,
  requestMetTrouble,
  noRoomForFleets,
  shortPagesTakeTokens,
  repeatIsDue,
  leaseOfTheDead,
  writesWereSlow,
  newcomersDie,
  refillsDie,
  membersFail,
  sparesFail,
  hookHoldsNewcomers,
  decisionsLost,
  swapsForgot,
  drainedForgot,
  warningsForgot,
  unreplacedForgot,
  drainsForgot,
  endsForgot,
  hookUnheard,
  claimedUnderFault,
  closedUntold,
  openedUntold,
  waitsInLine,
  shortUnheard,
  stoppedByHand,
  taggedOnceCallsWork,
  untaggedAsDeleted,
  unexplainedAsDeleted,
];
