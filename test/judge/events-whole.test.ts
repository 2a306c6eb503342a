import { describe, expect, it } from 'vitest';
import { eventsAreWhole } from '../../sandbox/judge/rules/said/events-whole.ts';
import { details } from './details.ts';
import { react, type Script } from './histories.ts';

type Detail = Readonly<Record<string, unknown>>;

const told = (script: Script, detailType: string, ...parts: readonly Detail[]): void => {
  for (const detail of parts) script.at(200, { kind: 'announced', detailType, detail: { group: 'web', ...detail }, invocation: 'i-a' });
};

/** Events of one kind at 200 s, after decision d-1 was stored and version 3 came into force. */
const found = (kind: string, ...parts: readonly Detail[]): readonly string[] =>
  details(eventsAreWhole, (script) => {
    script.policy(0, 3);
    script.at(100, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 10, by: react('i-a') });
    told(script, `Holdfast ${kind}`, ...parts);
  });

const counts = { drained: 1, gone: 1, shortfalls: 1 };
const shortfall = { code: 'still-draining', text: 'it was cut', instances: ['i-2'] };
const finished = { drain: 'd', part: 1, parts: 1, counts, drained: ['i-1'], gone: ['i-2'], shortfalls: [shortfall] };

const whole: readonly (readonly [kind: string, detail: Detail])[] = [
  ['Swap Started', { reason: 'scale-in', instances: ['i-1'], decision: 'd-9' }],
  ['Swap Failed', { drain: 'd', code: 'not-ended', text: 'EC2 refused', instances: ['i-1'] }],
  ['Members Put Back', { decision: 'd-1', instances: ['i-1'], count: 1 }],
  ['Fallback', { decision: 'd-1', refused: [{ offering: { zone: 'z-a' }, code: 'InsufficientInstanceCapacity' }] }],
  ['Capacity Exhausted', { decision: 'd-1', unplaced: 2 }],
  ['Boots Failed', { decision: 'd-1', pool: 'spot-a', instances: ['i-1'], count: 1, untilMs: 300_000 }],
  ['Members Given Up', { decision: 'd-1', pool: 'spot-a', why: 'not-healthy', instances: ['i-1'], count: 1, untilMs: 300_000 }],
  ['Breaker Opened', { decision: 'd-1', breaker: 'spot', why: 'interruptions', untilMs: 300_000 }],
  ['Breaker Closed', { decision: 'd-1', breaker: 'spot', why: 'launch-lived' }],
  ['Auto Scaling Group Gone', { decision: 'd-1', asgs: ['web-asg'] }],
  ['Auto Scaling Group Back', { decision: 'd-1', asgs: ['web-asg'] }],
  ['Policy Accepted', { version: 3, warnings: [] }],
  ['Policy Rejected', { problems: ['size.max: too small'], inForce: 3 }],
  ['Group Let Go', { lastVersion: 3 }],
  ['Group Let Go', { launched: ['i-1'], unanswered: [] }],
  ['Drain Finished', finished],
];

/** What a fault of the code makes of a field. */
const emptied = (value: unknown): unknown => {
  if (Array.isArray(value)) return [];
  return typeof value === 'number' ? 0 : '';
};
/** Fields that may be empty, and those of an event that says one of two things. */
const mayBeEmpty = new Set(['warnings', 'drained', 'gone', 'shortfalls', 'launched', 'unanswered', 'lastVersion', 'inForce', 'counts']);
const fields = whole.flatMap(([kind, detail]) =>
  Object.keys(detail).flatMap((name) => (mayBeEmpty.has(name) ? [] : [[kind, name, detail] as const])),
);

describe('events are whole', () => {
  it.each(whole)('%s holds with all of its fields', (kind, detail) => {
    expect(found(kind, detail)).toEqual([]);
    expect(found(kind, { ...detail, group: 'api' })).toContain(`Holdfast ${kind}: its group is api, and nobody wrote a policy of that name`);
  });

  it('a fallback breaks where its look decided once', () => {
    const fallback = { decision: 'd-1', refused: [{ offering: { zone: 'z-a' }, code: 'InsufficientInstanceCapacity' }] };
    const decided = (rounds: readonly object[], id = 'd-1') => ({
      stored: { states: {}, deadLetters: 0, staleMessages: 0, decisions: [{ id, rounds }], swaps: [] },
    });
    const sent = (stored: object) =>
      details(
        eventsAreWhole,
        (script) => {
          script.policy(0, 3);
          script.at(100, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 10, by: react('i-a') });
          told(script, 'Holdfast Fallback', fallback);
        },
        stored,
      );
    expect(sent(decided([{}]))).toEqual(['Holdfast Fallback: its look did not decide again after a refusal']);
    expect(sent(decided([{}, {}]))).toEqual([]);
    expect(sent(decided([{}], 'd-2'))).toEqual([]);
  });

  it.each(fields)('%s breaks without its %s, and with an empty one', (kind, name, detail) => {
    const { [name]: _, ...rest } = detail;
    expect(found(kind, rest)).not.toEqual([]);
    expect(found(kind, { ...detail, [name]: emptied(detail[name]) })).not.toEqual([]);
  });

  it('breaks for a decision that was never stored, unless a claim alone names it', () => {
    expect(found('Capacity Exhausted', { decision: 'd-2', unplaced: 2 })).toEqual(['Holdfast Capacity Exhausted: its decision d-2 was never stored']);
  });

  it('breaks for an instance that is named twice, a refusal without its reason, and a group let go without a word', () => {
    expect(found('Swap Started', { reason: 'scale-in', instances: ['i-1', 'i-1'], decision: 'd-1' })).toHaveLength(1);
    expect(found('Fallback', { decision: 'd-1', refused: [{ offering: { zone: 'z-a' } }] })).toHaveLength(1);
    expect(found('Group Let Go', { launched: [], unanswered: [] })).toHaveLength(1);
  });

  it('breaks where a rejection names another version than the one in force', () => {
    const problems = ['size.max: too small'];
    expect(found('Policy Rejected', { problems, inForce: 2 })).toEqual(['Holdfast Policy Rejected: it says that version 2 is in force, expected 3']);
    expect(found('Policy Rejected', { problems })).toHaveLength(1);
    const atFirst = details(eventsAreWhole, (script) => {
      script.at(190, { kind: 'policy-written', group: 'web', document: {} });
      told(script, 'Holdfast Policy Rejected', { problems });
    });
    expect(atFirst).toEqual([]);
  });

  it('breaks where the counts of a drain are not those of the members that its parts name', () => {
    expect(found('Drain Finished', { ...finished, drained: [] })).toEqual(['the event about drain d counts 1 drained, and names 0']);
    expect(found('Drain Finished', { ...finished, shortfalls: [] })).toEqual(['the event about drain d counts 1 shortfalls, and names 0']);
    const [one, two] = [
      { ...finished, parts: 2, gone: [], shortfalls: [] },
      { ...finished, part: 2, parts: 2, drained: [] },
    ];
    expect(found('Drain Finished', one, two)).toEqual([]);
    expect(found('Drain Finished', one)).toEqual([]);
    expect(found('Drain Finished', one, { ...two, gone: [] })).toEqual(['the event about drain d counts 1 gone, and names 0']);
  });

  it('breaks for a shortfall without its code, its text or its instances', () => {
    for (const name of ['code', 'text', 'instances'] as const) {
      const { [name]: _, ...rest } = shortfall;
      expect(found('Drain Finished', { ...finished, shortfalls: [rest] })).toContain(
        'Holdfast Drain Finished: a shortfall lacks its code, its text or its instances',
      );
    }
  });
});
