import type { Rule } from './finding.ts';
import { adviceWithinBudget } from './rules/advice.ts';
import { advisedAreClaimed } from './rules/advised.ts';
import { alarmsAct, lastingAlarmsActAgain } from './rules/alarms.ts';
import { toldOnTheBus } from './rules/announced.ts';
import { refusedAreLeft } from './rules/asked-anew.ts';
import { nobodyReturnsTooSoon, onDemandIsGone, spreadsEvenOut } from './rules/back-to-spot.ts';
import { beyondIsSaid } from './rules/beyond-said.ts';
import { failedBootsAreTold, failingPoolsRest, launchesAreBounded } from './rules/boots.ts';
import { boundsAreTrue } from './rules/bounds-said.ts';
import { breakersOpen, breakersOpenInTime, warningsOpenOnce } from './rules/breaker-openings.ts';
import { breakersAreKept, breakersCloseInTime, breakersEnd } from './rules/breakers.ts';
import { callsAreBounded, idleWritesNothing, noStorm } from './rules/calls.ts';
import { causesAreTrue } from './rules/causes.ts';
import { cheapestFirst, cheapestTypeFirst } from './rules/cheapest.ts';
import { countedInFull } from './rules/counted.ts';
import { decisionsAreTrue } from './rules/decisions.ts';
import { decisionsAreFound } from './rules/decisions-found.ts';
import { desiredStandsWhileDenied, nobodyLeavesWhileDenied } from './rules/denied.ts';
import { desiredAsAsked } from './rules/desired.ts';
import { detachedStayOut } from './rules/detached.ts';
import { drainedFirst } from './rules/drained-first.ts';
import { drainsAreShared } from './rules/drains.ts';
import { endedInTime } from './rules/ended-in-time.ts';
import {
  connectionsGetTheirTime,
  heartbeatsComeEarly,
  hooksAreHeld,
  leftToEc2,
  letGoIsLeft,
  strangersUntouched,
  workTakenOffFirst,
} from './rules/endings.ts';
import { endsAreTrue } from './rules/ends-said.ts';
import { everythingExplained } from './rules/explained.ts';
import { figuresAreTrue } from './rules/figures.ts';
import { functionsAnswer, functionsAreQuick, functionsWait, itemsAreSmall, rightsSuffice } from './rules/functions.ts';
import { goneAsgsAreTold } from './rules/gone-said.ts';
import { lastGoodStays } from './rules/in-force.ts';
import { refusedInTurn } from './rules/in-turn.ts';
import { joinedAreNoted, joiningMembersRun, leavingDoNotJoin } from './rules/joining.ts';
import { guardedKeepWorking } from './rules/kept-at-work.ts';
import { lastResortLast, takenAtOnceLast } from './rules/last-resort.ts';
import { missingAreRequested } from './rules/lasting-shortage.ts';
import { launchesWithinLimit } from './rules/launches.ts';
import { lessonsAreTrue } from './rules/learned.ts';
import { nothingLeftNoted } from './rules/left-in-state.ts';
import { floorFirst, floorHeld, floorLeft, sharesHold } from './rules/limits.ts';
import { looksCome, ticksCome } from './rules/looks.ts';
import { observeChangesNothing, pauseIsIdle } from './rules/modes.ts';
import { movesAreKept } from './rules/moves-kept.ts';
import { maximumHeld, needlessLaunch } from './rules/needless-launch.ts';
import { needlessRemoval, protectedStay, straysGetTime, successorServes } from './rules/needless-removal.ts';
import { newMembersAreKnown } from './rules/new-members.ts';
import { outcomesAreTrue } from './rules/outcomes-said.ts';
import { outcomesAreWhole } from './rules/outcomes-whole.ts';
import { outsideSizesStand, wantedStay } from './rules/outside.ts';
import { earlierTierFirst, placedInPools, sharedOut, withinCap, withinPrice } from './rules/placement.ts';
import { pricesAreRead } from './rules/prices-read.ts';
import { asgsPutBack, raisesEndSoon, strangeAsgs } from './rules/put-back.ts';
import { remarksAreTrue } from './rules/remarks-said.ts';
import { lossesAreRemembered, refusalsAreRemembered } from './rules/remembered.ts';
import { removalInOrder } from './rules/removal-order.ts';
import { removalKeepsShape } from './rules/removal-shape.ts';
import { cameToRest, nobodyForgotten, nothingOpen, sizeIsHeld } from './rules/rest.ts';
import { returnsInWindows, returnsOnceSettled, returnsWhileWhole, returnsWithinBudget } from './rules/returns.ts';
import { excusesAreTrue, reasonsAreTrue } from './rules/said.ts';
import { schedulesAreFollowed } from './rules/schedule.ts';
import { replacedBeforeWindow } from './rules/scheduled.ts';
import { requestedSoon, servesAgain } from './rules/serving.ts';
import { decisionsAreShown } from './rules/shown-decisions.ts';
import { explainTellsTruth } from './rules/shown-explained.ts';
import { statusIsShown } from './rules/shown-status.ts';
import { shownWhole } from './rules/shown-whole.ts';
import { sizesAreExplained } from './rules/sizes-said.ts';
import { sparedServeAgain } from './rules/spared.ts';
import { sparesServe } from './rules/spares.ts';
import { statusesAreTrue } from './rules/statuses.ts';
import { fullSubnetsRest } from './rules/subnets.ts';
import { ownersSuspensionsStand } from './rules/suspended.ts';
import { timesAreTrue } from './rules/swap-ends.ts';
import { swapsNameTruly } from './rules/swap-facts.ts';
import { swapTimesAreTrue } from './rules/swap-times.ts';
import { tagsAsAsked } from './rules/tags.ts';
import { versionsAsNamed } from './rules/template-versions.ts';
import { whoServesIsTold } from './rules/told-serving.ts';
import { unfitIsSaid } from './rules/unfit-said.ts';
import { neverServedIsGivenUp, neverServingComesLast } from './rules/unserved.ts';
import { drainBeginsInTime, servesUntilReplaced, takenOutOnce, warnedTakenOut } from './rules/warned.ts';
import { warningsAreKept } from './rules/warnings-kept.ts';
import { drainsWriteTheirOwn, nothingIsDatedAhead, nothingUnreadIsReplaced, requestsAreStoredFirst } from './rules/writes.ts';

/** Everything that must hold in every run, each with one meaning. */
export const rules: readonly Rule[] = [
  needlessLaunch,
  maximumHeld,
  drainedFirst,
  needlessRemoval,
  protectedStay,
  guardedKeepWorking,
  straysGetTime,
  removalInOrder,
  removalKeepsShape,
  successorServes,
  desiredAsAsked,
  outsideSizesStand,
  wantedStay,
  schedulesAreFollowed,
  alarmsAct,
  lastingAlarmsActAgain,
  warningsAreKept,
  warnedTakenOut,
  drainBeginsInTime,
  servesUntilReplaced,
  takenOutOnce,
  connectionsGetTheirTime,
  workTakenOffFirst,
  leftToEc2,
  endedInTime,
  advisedAreClaimed,
  sparedServeAgain,
  replacedBeforeWindow,
  hooksAreHeld,
  heartbeatsComeEarly,
  servesAgain,
  requestedSoon,
  missingAreRequested,
  refusedInTurn,
  refusedAreLeft,
  fullSubnetsRest,
  sparesServe,
  placedInPools,
  versionsAsNamed,
  withinPrice,
  withinCap,
  earlierTierFirst,
  sharedOut,
  lastResortLast,
  takenAtOnceLast,
  cheapestFirst,
  cheapestTypeFirst,
  pricesAreRead,
  floorFirst,
  floorLeft,
  floorHeld,
  sharesHold,
  desiredStandsWhileDenied,
  nobodyLeavesWhileDenied,
  launchesAreBounded,
  launchesWithinLimit,
  adviceWithinBudget,
  breakersOpen,
  breakersAreKept,
  breakersEnd,
  breakersCloseInTime,
  warningsOpenOnce,
  breakersOpenInTime,
  failingPoolsRest,
  failedBootsAreTold,
  neverServedIsGivenUp,
  neverServingComesLast,
  tagsAsAsked,
  asgsPutBack,
  raisesEndSoon,
  strangeAsgs,
  ownersSuspensionsStand,
  strangersUntouched,
  detachedStayOut,
  leavingDoNotJoin,
  joiningMembersRun,
  joinedAreNoted,
  letGoIsLeft,
  observeChangesNothing,
  pauseIsIdle,
  excusesAreTrue,
  reasonsAreTrue,
  timesAreTrue,
  swapsNameTruly,
  swapTimesAreTrue,
  everythingExplained,
  toldOnTheBus,
  decisionsAreTrue,
  figuresAreTrue,
  causesAreTrue,
  endsAreTrue,
  sizesAreExplained,
  decisionsAreFound,
  whoServesIsTold,
  boundsAreTrue,
  remarksAreTrue,
  outcomesAreTrue,
  outcomesAreWhole,
  statusesAreTrue,
  beyondIsSaid,
  unfitIsSaid,
  shownWhole,
  decisionsAreShown,
  explainTellsTruth,
  statusIsShown,
  goneAsgsAreTold,
  lastGoodStays,
  looksCome,
  ticksCome,
  cameToRest,
  sizeIsHeld,
  nobodyForgotten,
  returnsWhileWhole,
  returnsWithinBudget,
  movesAreKept,
  returnsInWindows,
  returnsOnceSettled,
  nobodyReturnsTooSoon,
  onDemandIsGone,
  spreadsEvenOut,
  nothingOpen,
  nothingLeftNoted,
  drainsAreShared,
  callsAreBounded,
  noStorm,
  idleWritesNothing,
  nothingUnreadIsReplaced,
  drainsWriteTheirOwn,
  requestsAreStoredFirst,
  functionsAnswer,
  functionsAreQuick,
  functionsWait,
  itemsAreSmall,
  rightsSuffice,
  countedInFull,
  refusalsAreRemembered,
  lossesAreRemembered,
  lessonsAreTrue,
  newMembersAreKnown,
  nothingIsDatedAhead,
];
