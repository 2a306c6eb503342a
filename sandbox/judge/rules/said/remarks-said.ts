import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { eachSecond } from '../../moments.ts';
import { within } from '../../policy/in-force.ts';
import type { Policy } from '../../policy/policy.ts';
import { mapsOf, numberOf, textOf, textsOf } from '../../read-json.ts';
import { decisionWrite } from '../../said/decision-writes.ts';
import { remarksSaid, type SaidRemark, type SaidRemarks } from '../../said/remarks.ts';
import { times } from '../../times.ts';
import { goneAtMs, isFunction, type Life } from '../../world/life.ts';
import { isClosed, ownersWill } from '../../world/owners.ts';
import { runsAgainAt } from '../../world/runs.ts';
import { countsAt } from './decisions.ts';

type Broken = Omit<Finding, 'rule'>;

/** The time in which the look of a decision may have seen what it says: from the oldest describe to its last write. */
type Look = { readonly chronicle: Chronicle; readonly group: string; readonly fromMs: number; readonly untilMs: number };

/** Whether a remark may be true of one instance that it names. */
type OfInstance = (look: Look, life: Life, remark: SaidRemark) => boolean;
/** Whether a remark may be true beside its instances. */
type OfGroup = (look: Look, remark: SaidRemark) => boolean;

const policiesIn = ({ chronicle, group, fromMs, untilMs }: Look): readonly Policy[] => chronicle.policiesIn(group, fromMs, untilMs);
const isUnder =
  (is: (policy: Policy) => boolean): OfGroup =>
  (look) =>
    policiesIn(look).some(is);

/** Whether it served at some moment of the look. A member may serve for less than a second. */
const served: OfInstance = ({ chronicle, fromMs, untilMs }, life) => {
  const begins = life.services.map((service) => service.fromMs).filter((atMs) => atMs >= fromMs && atMs <= untilMs);
  return isFunction(life.by) && [...eachSecond(fromMs, untilMs), ...begins].some((atMs) => countsAt(chronicle, life, atMs));
};

const wasTold = ({ untilMs }: Look, { deliveries }: Life, about: 'advice' | 'warning'): boolean =>
  deliveries.some(({ told, atMs }) => told.about === about && atMs <= untilMs);

const wasDetached: OfInstance = ({ untilMs }, { stays }) => stays.some((stay) => stay.how === 'detached' && stay.untilMs <= untilMs);

/** EC2 warned, or AWS announced a retirement, and the instance lives on, or runs again. */
const outlived: OfInstance = (look, life) =>
  (wasTold(look, life, 'warning') || life.warnings.length + life.scheduled.length > 0) &&
  (goneAtMs(life) > look.fromMs || runsAgainAt(life, look.fromMs) || runsAgainAt(life, look.untilMs));

const advised: OfInstance = (look, life) => wasTold(look, life, 'advice') || life.advisedAtMs.some((atMs) => atMs <= look.untilMs);

const poolTagged = ({ tags }: Life): string | undefined => tags.map((change) => change.tags['holdfast:pool']).find((pool) => pool !== undefined);
const isOfPool = (life: Life, { data }: SaidRemark): boolean => (poolTagged(life) ?? data.pool) === data.pool;

const failedToBoot: OfInstance = ({ untilMs }, life, remark) => goneAtMs(life) <= untilMs && isOfPool(life, remark);

/** Whether it was not ready at some moment of the look. */
const servedNever: OfInstance = ({ chronicle, fromMs, untilMs }, life, remark) =>
  isOfPool(life, remark) && eachSecond(fromMs, untilMs).some((atMs) => !chronicle.isReadyAt(life, atMs));

/** What an Auto Scaling group was during the look. The first is what the run found. */
const changesIn = ({ chronicle, fromMs, untilMs }: Look, asg: string) => {
  const changes = chronicle.cloud.asgChanges(asg).filter(({ atMs }) => atMs <= untilMs);
  const before = changes.filter(({ atMs }) => atMs <= fromMs).slice(-1);
  return [...before, ...changes.filter(({ atMs }) => atMs > fromMs)];
};

/** Only an Auto Scaling group at its minimum keeps a member, and no more than this minimum. */
const isAtMinima: OfGroup = (look, { data }) => {
  const asgs = mapsOf(data.asgs);
  const kept = asgs.reduce((sum, { min }) => sum + numberOf(min), 0);
  return numberOf(data.count) <= kept && asgs.every(({ asg, min }) => changesIn(look, textOf(asg)).some((change) => change.min === numberOf(min)));
};

/** Each setting that it names was on. `Launch` counts where the owner suspended it, and not where Holdfast did. */
const isUnfit: OfGroup = (look, { data }) =>
  mapsOf(data.asgs).every(({ asg, found }) => {
    const changes = changesIn(look, textOf(asg));
    const owned = ownersWill(look.chronicle.cloud.asgChanges(textOf(asg))).filter(({ change }) => changes.includes(change));
    const on = [...changes.flatMap<string>(({ unfit = [] }) => unfit), ...(owned.some((one) => isClosed(one.owned)) ? ['launch-suspended'] : [])];
    return textsOf(found).every((setting) => on.includes(setting));
  });

/** Whether each Auto Scaling group was gone, or there, at some moment of the look. One that never was is gone. */
const werePresent =
  (isPresent: boolean): OfGroup =>
  ({ chronicle, fromMs, untilMs }, { data }) =>
    textsOf(data.asgs).every((asg) => {
      const found = within(chronicle.cloud.asgChanges(asg), fromMs, untilMs);
      return found.length === 0 ? !isPresent : found.some(({ isGone = false }) => isGone !== isPresent);
    });

const ofInstances: Readonly<Record<string, OfInstance>> = {
  serves: served,
  detached: wasDetached,
  'put-back': outlived,
  'advice-not-followed': advised,
  'advice-over-budget': advised,
  'boots-failed': failedToBoot,
  'given-up': servedNever,
};

const ofGroups: Readonly<Record<string, OfGroup>> = {
  'advice-not-followed': isUnder(({ actsOnAdvice }) => !actsOnAdvice),
  'advice-over-budget': isUnder(({ advicePerHour }) => advicePerHour < Number.POSITIVE_INFINITY),
  'asg-unfit': isUnfit,
  'kept-by-minimum': isAtMinima,
  'asg-gone': werePresent(false),
  'asg-back': werePresent(true),
  'shares-full': isUnder(({ maxShare }) => Object.keys(maxShare).length > 0),
  'spares-missing': (look, { data }) =>
    numberOf(data.count) <= numberOf(data.of) && isUnder(({ spare }) => spare === data.of)(look, { ...none, data }),
  'on-demand-short': (_, { data }) => numberOf(data.held) < numberOf(data.owed),
  paused: isUnder(({ mode, isWeighed }) => mode === 'pause' && !isWeighed),
};
const none: SaidRemark = { code: '', instances: [], data: {} };

/** A remark names this many at least, if it counts as many. */
const namedAtLeast = 50;

const isCounted = ({ instances, data: { count } }: SaidRemark): boolean =>
  typeof count !== 'number' || (instances.length < namedAtLeast ? count === instances.length : count >= instances.length);

const wrongIn = (look: Look, remark: SaidRemark): readonly string[] => {
  const { code, instances } = remark;
  const ofInstance = ofInstances[code];
  const wrong = instances.filter((instance) => {
    const life = look.chronicle.life(instance);
    return ofInstance !== undefined && (life === undefined || !ofInstance(look, life, remark));
  });
  const isWrong = ofGroups[code]?.(look, remark) === false || (instances.length > 0 && !isCounted(remark));
  return [...wrong.map((instance) => `${code} of ${instance}`), ...(isWrong ? [code] : [])];
};

const falseIn = (chronicle: Chronicle, { id, group, lookedMs, remarks }: SaidRemarks): readonly Broken[] => {
  const writtenMs = decisionWrite(chronicle, group, id)?.atMs;
  if (writtenMs === undefined || remarks.length === 0) return [];
  const { lagMs, asgLagMs, clockMs } = chronicle.times;
  const look = { chronicle, group, fromMs: lookedMs - Math.max(lagMs, asgLagMs) - times.reactMs - clockMs, untilMs: writtenMs };
  return [...new Set(remarks.flatMap((remark) => wrongIn(look, remark)))].map((what) => ({
    group,
    atMs: writtenMs,
    detail: `decision ${id} remarks ${what}, which was not so`,
  }));
};

export const remarksAreTrue: Rule = {
  name: 'what a decision remarks is true',
  meaning:
    'What a stored decision remarks is true in the world at some moment of its look: which members serve now, were detached, outlived a warning or run again after it, were advised to leave, ended before they served, or never served; which minimum keeps members, and no more than that; which setting of an Auto Scaling group its owner had turned on; which Auto Scaling group is gone, or there again; and that the policy has the budget, the shares, the spares or the mode that the remark is about. It counts as many as it names.',
  broken: (chronicle) => remarksSaid(chronicle.history).flatMap((said) => falseIn(chronicle, said)),
};
