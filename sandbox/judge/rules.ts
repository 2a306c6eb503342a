import type { Rule } from './finding.ts';
import { detachedStayOut } from './rules/auto-scaling/detached.ts';
import { joinedAreNoted, joiningMembersRun, leavingDoNotJoin } from './rules/auto-scaling/joining.ts';
import { loweredNoFurther } from './rules/auto-scaling/lowered.ts';
import { asgsPutBack, raisesEndSoon, strangeAsgs } from './rules/auto-scaling/put-back.ts';
import { ownersSuspensionsStand } from './rules/auto-scaling/suspended.ts';
import { adviceWithinBudget } from './rules/bounds/advice.ts';
import { failedBootsAreTold, failingPoolsRest, launchesAreBounded } from './rules/bounds/boots.ts';
import { breakersOpen, breakersOpenInTime, warningsOpenOnce } from './rules/bounds/breaker-openings.ts';
import { breakersAreKept, breakersCloseInTime, breakersEnd } from './rules/bounds/breakers.ts';
import { desiredStandsWhileDenied, nobodyLeavesWhileDenied } from './rules/bounds/denied.ts';
import { launchesWithinLimit } from './rules/bounds/launches.ts';
import { tagsAsAsked } from './rules/bounds/tags.ts';
import { unservedRules } from './rules/bounds/unserved.ts';
import { callsAreBounded, idleWritesNothing, noStorm } from './rules/calls.ts';
import { advisedAreClaimed } from './rules/drains/advised.ts';
import { drainsAreShared } from './rules/drains/drains.ts';
import { endedInTime } from './rules/drains/ended-in-time.ts';
import { connectionsGetTheirTime, leftToEc2, letGoIsLeft, strangersUntouched, workTakenOffFirst } from './rules/drains/endings.ts';
import { hookAndTryRules } from './rules/drains/hooks-and-tries.ts';
import { replacedBeforeWindow } from './rules/drains/scheduled.ts';
import { sparedServeAgain } from './rules/drains/spared.ts';
import { drainBeginsInTime, servesUntilReplaced, takenOutOnce, warnedTakenOut } from './rules/drains/warned.ts';
import { warningsAreKept } from './rules/drains/warnings-kept.ts';
import { functionsAnswer, functionsAreQuick, functionsWait, itemsAreSmall, rightsSuffice } from './rules/functions.ts';
import { refusedAreLeft } from './rules/launches/asked-anew.ts';
import { cheapestFirst, cheapestTypeFirst, preferredTypeFirst } from './rules/launches/cheapest.ts';
import { refusedInTurn } from './rules/launches/in-turn.ts';
import { lastResortLast, takenAtOnceLast } from './rules/launches/last-resort.ts';
import { missingAreRequested } from './rules/launches/lasting-shortage.ts';
import { floorFirst, floorHeld, floorLeft, sharesHold } from './rules/launches/limits.ts';
import { maximumHeld, needlessLaunch } from './rules/launches/needless-launch.ts';
import { earlierTierFirst, placedInPools, sharedOut, withinCap, withinPrice } from './rules/launches/placement.ts';
import { pricesAreRead } from './rules/launches/prices-read.ts';
import { requestedSoon } from './rules/launches/requested.ts';
import { servesAgain } from './rules/launches/serving.ts';
import { sparesServe } from './rules/launches/spares.ts';
import { fullSubnetsRest } from './rules/launches/subnets.ts';
import { versionsAsNamed } from './rules/launches/template-versions.ts';
import { countedInFull } from './rules/memory/counted.ts';
import { nothingIsDatedBehind } from './rules/memory/dated-behind.ts';
import { itemsExpire } from './rules/memory/expiries.ts';
import { lessonsAreTrue } from './rules/memory/learned.ts';
import { nothingLeftNoted } from './rules/memory/left-in-state.ts';
import { newMembersAreKnown } from './rules/memory/new-members.ts';
import { lossesAreRemembered, refusalsAreRemembered } from './rules/memory/remembered.ts';
import { drainsWriteTheirOwn, nothingIsDatedAhead, nothingUnreadIsReplaced, requestsAreStoredFirst } from './rules/memory/writes.ts';
import { observeChangesNothing, pauseIsIdle } from './rules/modes.ts';
import { leaveWithinSurge } from './rules/removals/at-once.ts';
import { removalsAreCalledOff } from './rules/removals/called-off.ts';
import { drainedFirst } from './rules/removals/drained-first.ts';
import { guardedKeepWorking } from './rules/removals/kept-at-work.ts';
import { needlessRemoval, protectedStay, straysGetTime, successorServes } from './rules/removals/needless-removal.ts';
import { removalInOrder } from './rules/removals/removal-order.ts';
import { removalKeepsShape } from './rules/removals/removal-shape.ts';
import { stoppedAreKept } from './rules/removals/stopped.ts';
import { cameToRest, nobodyForgotten, nothingOpen, sizeIsHeld } from './rules/rest.ts';
import { onDemandIsGone, spreadsEvenOut } from './rules/returns/back-to-spot.ts';
import { movesAreKept } from './rules/returns/moves-kept.ts';
import { returnsInWindows, returnsOnceSettled, returnsWhileWhole, returnsWithinBudget } from './rules/returns/returns.ts';
import { nobodyReturnsTooSoon } from './rules/returns/too-soon.ts';
import { toldOnTheBus } from './rules/said/announced.ts';
import { beyondIsSaid } from './rules/said/beyond-said.ts';
import { boundsAreTrue } from './rules/said/bounds-said.ts';
import { causesAreTrue } from './rules/said/causes.ts';
import { refusedLaunchesAreListed } from './rules/said/checks-said.ts';
import { decisionsAreTrue } from './rules/said/decisions.ts';
import { decisionsAreFound } from './rules/said/decisions-found.ts';
import { endsAreTrue } from './rules/said/ends-said.ts';
import { eventsAreWhole } from './rules/said/events-whole.ts';
import { everythingExplained } from './rules/said/explained.ts';
import { figuresAreTrue } from './rules/said/figures.ts';
import { fullnessIsTrue } from './rules/said/fullness-said.ts';
import { goneAsgsAreCounted } from './rules/said/gone-counted.ts';
import { goneAsgsAreTold } from './rules/said/gone-said.ts';
import { versionRules } from './rules/said/in-force.ts';
import { looksCome, ticksCome } from './rules/said/looks.ts';
import { metricsAreTrue } from './rules/said/metrics.ts';
import { outcomesAreTrue } from './rules/said/outcomes-said.ts';
import { outcomesAreWhole } from './rules/said/outcomes-whole.ts';
import { reasonsFit } from './rules/said/reasons-fit.ts';
import { remarksAreTrue } from './rules/said/remarks-said.ts';
import { excusesAreTrue, reasonsAreTrue } from './rules/said/said.ts';
import { shownRules } from './rules/said/shown.ts';
import { sizesAreExplained } from './rules/said/sizes-said.ts';
import { statusesAreWhole } from './rules/said/status-whole.ts';
import { statusesAreTrue } from './rules/said/statuses.ts';
import { timesAreTrue } from './rules/said/swap-ends.ts';
import { swapsNameTruly } from './rules/said/swap-facts.ts';
import { swapTimesAreTrue } from './rules/said/swap-times.ts';
import { whoServesIsTold } from './rules/said/told-serving.ts';
import { unfitIsSaid } from './rules/said/unfit-said.ts';
import { alarmsAct, lastingAlarmsActAgain } from './rules/size/alarms.ts';
import { desiredAsAsked } from './rules/size/desired.ts';
import { observedSizesAreFollowed } from './rules/size/observed.ts';
import { outsideSizesStand, wantedStay } from './rules/size/outside.ts';
import { schedulesAreFollowed } from './rules/size/schedule.ts';

/** Everything that must hold in every run, each with one meaning. */
export const rules: readonly Rule[] = [
  needlessLaunch,
  maximumHeld,
  drainedFirst,
  leaveWithinSurge,
  needlessRemoval,
  protectedStay,
  guardedKeepWorking,
  straysGetTime,
  removalInOrder,
  removalKeepsShape,
  successorServes,
  removalsAreCalledOff,
  stoppedAreKept,
  desiredAsAsked,
  observedSizesAreFollowed,
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
  ...hookAndTryRules,
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
  preferredTypeFirst,
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
  ...unservedRules,
  tagsAsAsked,
  asgsPutBack,
  raisesEndSoon,
  loweredNoFurther,
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
  eventsAreWhole,
  decisionsAreTrue,
  figuresAreTrue,
  metricsAreTrue,
  reasonsFit,
  fullnessIsTrue,
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
  refusedLaunchesAreListed,
  statusesAreWhole,
  beyondIsSaid,
  unfitIsSaid,
  ...shownRules,
  goneAsgsAreTold,
  goneAsgsAreCounted,
  ...versionRules,
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
  nothingIsDatedBehind,
  itemsExpire,
];
