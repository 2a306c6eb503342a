import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { causesSaid, type SaidCause } from '../../said/causes.ts';
import { decisionWrite } from '../../said/decision-writes.ts';
import { times } from '../../times.ts';
import { isHealthy, isUnshown } from '../../told/leaving.ts';
import { isUnowned } from '../../told/unowned.ts';
import { type Delivery, goneAtMs, isFunction } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;
type Told = Delivery['told'];

/** Messages about an instance, and the causes that they become. AWS announces an end in several ways. */
const codes: Readonly<Partial<Record<Told['about'], readonly string[]>>> = {
  warning: ['interruption', 'reservation-interruption', 'scheduled-change'],
  advice: ['rebalance'],
  hook: ['terminate-hook'],
  state: ['state-change'],
};

/** One signal that an invocation received, in the words of a cause. */
type Heard = { readonly codes: readonly string[]; readonly instance: string; readonly state: string; readonly delivery: Delivery };

const heardBy = (chronicle: Chronicle, invocation: string): readonly Heard[] =>
  (chronicle.invocations.get(invocation)?.deliveries ?? []).flatMap((delivery): readonly Heard[] => {
    const { told } = delivery;
    const of = codes[told.about];
    if (of === undefined || !('instance' in told)) return [];
    return [{ codes: of, instance: told.instance, state: told.about === 'state' ? (told.state ?? '') : '', delivery }];
  });

const isSaidBy = ({ code, state, instances, count }: SaidCause, heard: Heard): boolean =>
  heard.codes.includes(code) && state === heard.state && (instances.includes(heard.instance) || count > instances.length);

/** Instances of other signals: nothing says which message they came with. */
const named = new Set(['interruption', 'rebalance', 'terminate-hook', 'state-change']);

const isHeard = (all: readonly Heard[], { code, state }: SaidCause, instance: string): boolean =>
  all.some((heard) => heard.codes.includes(code) && heard.state === state && heard.instance === instance);

/** A cause names fifty instances at least, if it counts as many. */
const namedAtLeast = 50;

const isMiscounted = ({ instances, count }: SaidCause): boolean =>
  instances.length < namedAtLeast ? count !== instances.length : count < instances.length;

const untrue = (all: readonly Heard[], causes: readonly SaidCause[]): readonly string[] =>
  causes
    .filter(({ code }) => named.has(code))
    .flatMap((cause) => [
      ...cause.instances
        .filter((instance) => !isHeard(all, cause, instance))
        .map((instance) => `names ${cause.code} of ${instance}, which no message told`),
      ...(isMiscounted(cause) ? [`counts ${cause.count} ${cause.code} and names ${cause.instances.length}`] : []),
    ]);

/** Whether a message is surely about this group: describes show the instance there, then and when the decision was stored. */
const isAboutGroup = (chronicle: Chronicle, group: string, { instance, delivery }: Heard, storedMs: number): boolean => {
  const life = chronicle.life(instance);
  if (life === undefined || isUnshown(chronicle, life, delivery) || isUnowned(chronicle, delivery)) return false;
  const isSame = [delivery.atMs - 2 * times.batchMs, storedMs].every((atMs) => chronicle.groupAt(life, atMs) === group);
  return isSame && chronicle.policyAt(group, delivery.atMs) !== undefined && goneAtMs(life) > delivery.atMs;
};

/** The decisions that one invocation stored about a group have the same causes. */
const falseIn = (chronicle: Chronicle): readonly Broken[] =>
  causesSaid(chronicle.history).flatMap(({ id, group, causes }): readonly Broken[] => {
    const write = decisionWrite(chronicle, group, id);
    if (write === undefined || !isFunction(write.by)) return [];
    const { atMs, by } = write;
    const all = heardBy(chronicle, by.invocation);
    const missing = isHealthy(chronicle, by.invocation)
      ? all.filter((heard) => isAboutGroup(chronicle, group, heard, atMs) && !causes.some((cause) => isSaidBy(cause, heard)))
      : [];
    const wrong = [...untrue(all, causes), ...missing.map(({ instance, codes: [code] }) => `does not name the ${code} of ${instance}`)];
    return [...new Set(wrong)].map((what) => ({ group, atMs, detail: `decision ${id} ${what}` }));
  });

export const causesAreTrue: Rule = {
  name: 'a decision names what led to it',
  meaning:
    'The causes of a stored decision are the signals that its function received: it names each living member of the group that a warning, advice, a hook or a change of its state was received about, and no other instance. It counts as many as it names. Members that describes need not show yet do not count, and neither does a message that comes again because AWS refused to show its instance or the groups.',
  broken: falseIn,
};
