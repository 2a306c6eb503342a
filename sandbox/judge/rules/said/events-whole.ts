import { announcements, items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { History, HistoryEvent } from '../../history.ts';
import { within } from '../../policy/in-force.ts';
import { isMap, mapsOf, numberOf, textOf, textsOf } from '../../read-json.ts';
import { remembered } from '../../remembered.ts';

type Broken = Omit<Finding, 'rule'>;
type Announced = Extract<HistoryEvent, { readonly kind: 'announced' }>;
type Detail = Announced['detail'];

/** What a field of an event has to hold. */
type Field = 'text' | 'texts' | 'list' | 'count' | 'time' | 'instances';

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

const holds: Readonly<Record<Field, (value: unknown) => boolean>> = {
  text: isText,
  texts: (value) => isFilled(value) && textsOf(value).every(isText),
  list: Array.isArray,
  count: (value) => Number.isInteger(value) && numberOf(value) >= 1,
  time: (value) => numberOf(value) > 0,
  instances: (value) => isFilled(value) && textsOf(value).every(isText) && new Set(textsOf(value)).size === textsOf(value).length,
};

/** The fields that each event has, besides its group (docs/policy.md, docs/drains.md). */
const fieldsOf: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  [announcements.swapStarted]: { reason: 'text', instances: 'instances', decision: 'text' },
  [announcements.swapFailed]: { drain: 'text', code: 'text', text: 'text', instances: 'instances' },
  [announcements.putBack]: { decision: 'text', instances: 'instances', count: 'count' },
  [announcements.fallback]: { decision: 'text', refused: 'list' },
  [announcements.exhausted]: { decision: 'text', unplaced: 'count' },
  [announcements.bootsFailed]: { decision: 'text', pool: 'text', instances: 'instances', count: 'count', untilMs: 'time' },
  [announcements.givenUp]: { decision: 'text', pool: 'text', why: 'text', instances: 'instances', count: 'count', untilMs: 'time' },
  [announcements.breakerOpened]: { decision: 'text', breaker: 'text', why: 'text', untilMs: 'time' },
  [announcements.breakerClosed]: { decision: 'text', breaker: 'text', why: 'text' },
  [announcements.asgGone]: { decision: 'text', asgs: 'texts' },
  [announcements.asgBack]: { decision: 'text', asgs: 'texts' },
  [announcements.policyAccepted]: { version: 'count', warnings: 'list' },
  [announcements.policyRejected]: { problems: 'texts' },
  [announcements.groupLetGo]: {},
  [announcements.drainFinished]: { drain: 'text', part: 'count', parts: 'count', drained: 'list', gone: 'list', shortfalls: 'list' },
};

const lacking = ({ detailType, detail }: Announced): readonly string[] =>
  Object.entries(fieldsOf[detailType] ?? {}).flatMap(([name, field]) =>
    holds[field](detail[name]) ? [] : [`its ${name} is ${JSON.stringify(detail[name]) ?? 'missing'}`],
  );

/** Decisions are stored before their events are sent. A claim alone stores none. */
const decided = remembered(
  (chronicle: Chronicle): ReadonlySet<string> =>
    new Set(
      chronicle.of('item-written').flatMap(({ item }) => (item.startsWith(items.decisionPrefix) ? [item.slice(items.decisionPrefix.length)] : [])),
    ),
);

const unstored = (chronicle: Chronicle, { detailType, detail }: Announced): readonly string[] =>
  detailType === announcements.swapStarted || !isText(detail.decision) || decided(chronicle).has(String(detail.decision))
    ? []
    : [`its decision ${String(detail.decision)} was never stored`];

const known = remembered(
  (chronicle: Chronicle): ReadonlySet<string> => new Set([...chronicle.groups.keys(), ...chronicle.of('policy-written').map(({ group }) => group)]),
);

/** A run of `accept-policy` takes this long at most. */
const judgedWithinMs = 60_000;

/** The version that stays in force after a policy was rejected. */
const untrueVersion = (chronicle: Chronicle, { detailType, detail, atMs }: Announced): readonly string[] => {
  if (detailType !== announcements.policyRejected) return [];
  const policies = chronicle.groups.get(String(detail.group))?.policies ?? [];
  const then = within(policies, atMs - judgedWithinMs, atMs).map(({ policy, version }) => (policy === undefined ? undefined : version));
  const isNew = policies.every((one) => one.atMs > atMs - judgedWithinMs);
  return [...then, ...(isNew ? [undefined] : [])].includes(detail.inForce as number | undefined)
    ? []
    : [`it says that version ${String(detail.inForce)} is in force, expected ${String(then.at(-1))}`];
};

/** How many times each stored decision decided: again after a refusal. */
const roundsOf = remembered(
  ({ stored }: History): ReadonlyMap<string, number> =>
    new Map(stored.decisions.filter(isMap).map(({ id, rounds }) => [textOf(id), mapsOf(rounds).length])),
);

/** Where a look only was refused, and did not decide again, nothing else took the place of what was refused. */
const isNoFallback = ({ history }: Chronicle, { decision }: Detail): boolean => roundsOf(history).get(String(decision)) === 1;

/** A fallback names each offering that was refused, and why. A group that is let go names its last version, or launches that were under way. */
const emptyIn = (chronicle: Chronicle, { detailType, detail }: Announced): readonly string[] => {
  const { refused, lastVersion, launched, unanswered } = detail;
  if (detailType === announcements.fallback) {
    const isWhole = mapsOf(refused).length > 0 && mapsOf(refused).every(({ offering, code }) => isMap(offering) && isText(code));
    return [
      ...(isWhole ? [] : ['it does not say what was refused, and why']),
      ...(isNoFallback(chronicle, detail) ? ['its look did not decide again after a refusal'] : []),
    ];
  }
  if (detailType !== announcements.groupLetGo) return [];
  return lastVersion !== undefined || isFilled(launched) || isFilled(unanswered) ? [] : ['it says neither the last version nor any launch'];
};

/** The parts of the event about one end of a drain: together they name as many instances as each of them counts. */
const partsAmiss = (chronicle: Chronicle): readonly Broken[] => {
  const finished = chronicle.of('announced').filter(({ detailType }) => detailType === announcements.drainFinished);
  const alike = Map.groupBy(finished, ({ detail, invocation }) => JSON.stringify([detail.drain, detail.counts, detail.parts, invocation]));
  return [...alike.values()].flatMap((parts): readonly Broken[] => {
    const [{ detail, atMs } = { detail: {} as Detail, atMs: 0 }] = parts;
    const isAll = new Set(parts.map((one) => one.detail.part)).size === detail.parts && parts.length === detail.parts;
    if (!isAll) return [];
    const named = (field: string): number => new Set(parts.flatMap((one) => textsOf(one.detail[field]))).size;
    const fallen = new Set(parts.flatMap((one) => mapsOf(one.detail.shortfalls).flatMap(({ instances }) => textsOf(instances)))).size;
    const found = { drained: named('drained'), gone: named('gone'), shortfalls: fallen };
    const counts = isMap(detail.counts) ? detail.counts : {};
    return Object.entries(found).flatMap(([field, count]) =>
      counts[field] === count
        ? []
        : [
            {
              group: String(detail.group),
              atMs,
              detail: `the event about drain ${String(detail.drain)} counts ${String(counts[field])} ${field}, and names ${count}`,
            },
          ],
    );
  });
};

/** Each shortfall has its code and its text, and names whom it is about. */
const shortfallsAmiss = ({ detail: { shortfalls } }: Announced): readonly string[] =>
  mapsOf(shortfalls).flatMap(({ code, text, instances }) =>
    isText(code) && isText(text) && holds.instances(instances) ? [] : ['a shortfall lacks its code, its text or its instances'],
  );

export const eventsAreWhole: Rule = {
  name: 'events are whole',
  meaning:
    'Each event names a group that has had a policy, and has all that belongs to an event of its kind: the instances that it is about, each once, the reason, the pool, the counts, and the text of each shortfall. Its decision was stored, unless it reports claims alone. The event of a rejected policy names each problem in a text, and the version that stays in force. A fallback is sent only where its look decided again after a refusal. The parts of one event about a drain name as many members as each part counts.',
  broken: (chronicle) => [
    ...chronicle.of('announced').flatMap((event): readonly Broken[] => {
      const { atMs, detailType, detail } = event;
      const group = String(detail.group);
      return [
        ...(known(chronicle).has(group) ? [] : [`its group is ${group}, and nobody wrote a policy of that name`]),
        ...lacking(event),
        ...unstored(chronicle, event),
        ...untrueVersion(chronicle, event),
        ...emptyIn(chronicle, event),
        ...shortfallsAmiss(event),
      ].map((why) => ({ group, atMs, detail: `${detailType}: ${why}` }));
    }),
    ...partsAmiss(chronicle),
  ],
};
