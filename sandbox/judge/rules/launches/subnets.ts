import type { Chronicle } from '../../chronicle.ts';
import type { Rule } from '../../finding.ts';
import type { HistoryEvent } from '../../history.ts';
import { times } from '../../times.ts';
import { noAddressCode } from '../../told/calls-told.ts';

type Refused = Extract<HistoryEvent, { readonly kind: 'refused' }>;

/** What was refused is written to the state item, which a later look reads. */
const readsWithinMs = 5_000;

/** Whether a pool that has this subnet has another one in its zone, of which nothing was refused lately. */
const hasAnother = ({ history, policyAt }: Chronicle, refusals: readonly Refused[], { group = '', subnet = '', atMs }: Refused): boolean => {
  const zone = history.spec.subnets.find(({ id }) => id === subnet)?.zone;
  const resting = new Set(refusals.filter((one) => one.atMs <= atMs && one.atMs > atMs - times.refusedRestMs).map((one) => one.subnet));
  const pools = Object.values(policyAt(group, atMs)?.pools ?? {}).filter(({ subnets }) => subnets.includes(subnet));
  const isFree = (id: string): boolean => !resting.has(id) && history.spec.subnets.find((one) => one.id === id)?.zone === zone;
  return pools.length > 0 && pools.every(({ subnets }) => subnets.some(isFree));
};

/** A request whose response is lost is repeated without change for this long. */
const repeatsForMs = 1_800_000;

const mayBeRepeated = (chronicle: Chronicle, untilMs: number): boolean =>
  chronicle
    .of('called')
    .some(({ launch, outcome, atMs }) => launch !== undefined && outcome !== 'ok' && atMs <= untilMs && atMs > untilMs - repeatsForMs);

/** Whether memories may be lost, because a policy was written or the state table was restored. */
const mayForget = ({ groups, of }: Chronicle, group: string, fromMs: number, untilMs: number): boolean => {
  const isBetween = ({ atMs }: { readonly atMs: number }): boolean => atMs > fromMs && atMs <= untilMs;
  return (
    (groups.get(group)?.policies ?? []).some(isBetween) ||
    of('step').some((step) => step.step === 'state-restored' && isBetween(step)) ||
    of('state-written').some((write) => write.by.kind === 'user' && isBetween(write)) ||
    of('state-deleted').some(isBetween)
  );
};

export const fullSubnetsRest: Rule = {
  name: 'a full subnet rests',
  meaning:
    'After EC2 found no free address in a subnet for a group, no later look requests this subnet for the group for three minutes. This holds while each of the group’s pools there has another subnet in that zone.',
  broken: (chronicle) => {
    const full = chronicle.of('refused').filter(({ code, subnet, group }) => code === noAddressCode && subnet !== undefined && group !== undefined);
    return full.flatMap((again) => {
      const beganAtMs = chronicle.invocations.get(again.invocation)?.beganAtMs ?? again.atMs;
      const before = full.find(
        (one) =>
          one.group === again.group &&
          one.subnet === again.subnet &&
          one.invocation !== again.invocation &&
          one.atMs + readsWithinMs < beganAtMs &&
          one.atMs > again.atMs - times.refusedRestMs + readsWithinMs + 2 * chronicle.times.clockMs,
      );
      const { group = '', subnet = '', invocation, atMs } = again;
      if (before === undefined || mayBeRepeated(chronicle, atMs) || mayForget(chronicle, group, before.atMs, atMs)) return [];
      const others = full.filter((one) => one.group === group && one !== again);
      return hasAnother(chronicle, others, again)
        ? [{ group, invocation, atMs, detail: `${subnet} was requested again, and it had no free address` }]
        : [];
    });
  },
};
