import { expect, it } from 'vitest';
import { explanationText } from '../../cli/explain.ts';
import { replacementsOf } from '../../cli/replacements.ts';
import type { DecisionRecord, LaunchOutcome } from '../../core/decision/decision-record.ts';
import type { Remark } from '../../core/decision/remark.ts';
import { decisionOf } from '../core/decisions.ts';

const nowMs = Date.UTC(2026, 10, 20, 12);
const at = (seconds: number): number => nowMs + seconds * 1_000;

const launchOf = (instances: readonly string[], replaces: readonly string[]): LaunchOutcome => ({
  reservation: 'r',
  pool: 'spot-a',
  count: instances.length,
  replaces,
  result: 'answered',
  instances,
  refusals: [],
});

const recordAt = (
  seconds: number,
  { launches = [], ended = [], remarks = [] }: { launches?: readonly LaunchOutcome[]; ended?: readonly string[]; remarks?: readonly Remark[] },
): DecisionRecord => ({
  group: 'web',
  id: String(seconds),
  atMs: at(seconds),
  policyVersion: 1,
  correlation: 'c',
  causes: ended.length === 0 ? [] : [{ code: 'state-change', state: 'terminated', instances: ended, count: ended.length }],
  sizes: [],
  rounds: [decisionOf({ remarks })],
  outcome: { code: 'carried-out', launches, claimed: [], drainsStarted: 0, admitted: [], failed: [], restored: [] },
});

const serves = (...instances: readonly string[]): Remark => ({ code: 'serves', instances, count: instances.length });

it('names the instance that a launch was for, place by place, and when a decision first found it serving', () => {
  const records = [
    recordAt(80, { remarks: [serves('i-y')] }),
    recordAt(60, { remarks: [serves('i-y', 'i-x')] }),
    recordAt(10, { launches: [launchOf(['i-x', 'i-y', 'i-z'], ['i-a', 'i-b'])] }),
  ];
  expect(replacementsOf('i-b', records)).toEqual([{ instance: 'i-y', launchedAtMs: at(10), servedAtMs: at(60) }]);
  expect(replacementsOf('i-x', records)).toEqual([]);
});

it('names every launch for it: a replacement that EC2 took is followed by another one', () => {
  const records = [recordAt(10, { launches: [launchOf(['i-x'], ['i-a'])] }), recordAt(90, { launches: [launchOf(['i-y'], ['i-a'])] })];
  expect(replacementsOf('i-a', records).map(({ instance }) => instance)).toEqual(['i-x', 'i-y']);
});

it('after an end without a warning names what was launched for no member by name, at once or by a later decision', () => {
  const later = [
    recordAt(10, { ended: ['i-a'] }),
    recordAt(100, { launches: [launchOf(['i-x', 'i-y'], ['i-b'])] }),
    recordAt(160, { remarks: [serves('i-y')] }),
  ];
  expect(replacementsOf('i-a', later)).toEqual([{ instance: 'i-y', launchedAtMs: at(100), servedAtMs: at(160), forTheGroup: true }]);
  const nextDay = [recordAt(10, { ended: ['i-a'] }), recordAt(86_400, { launches: [launchOf(['i-x'], [])] })];
  expect(replacementsOf('i-a', nextDay)).toEqual([]);
});

it('an explanation shows the replacements, and shows when nothing was launched', () => {
  const record = recordAt(10, { ended: ['i-a'], launches: [launchOf(['i-x'], [])] });
  const base = { instance: 'i-a', decisions: [{ part: 'ended', record }], unreadable: [] };
  const text = explanationText({ ...base, replacements: replacementsOf('i-a', [record, recordAt(70, { remarks: [serves('i-x')] })]) });
  expect(text).toContain(
    'Launched in its place:\n  i-x, for a missing member of the group: launched 2026-11-20 12:00:10 UTC, found serving 2026-11-20 12:01:10 UTC\n',
  );
  expect(explanationText({ ...base, replacements: [] })).toContain('Holdfast launched nothing in its place: ');
});

it('says when a request was made first, where a later decision made it again and got the response', () => {
  const first = { ...recordAt(10, {}), id: 'r-first' };
  const again = recordAt(130, { launches: [{ ...launchOf(['i-y'], ['i-x']), reservation: 'r-first-r0-0' }] });
  const found = replacementsOf('i-x', [again, first]);
  expect(found).toEqual([{ instance: 'i-y', launchedAtMs: at(130), requestedAtMs: at(10) }]);
  const text = explanationText({ instance: 'i-x', decisions: [{ part: 'replaced', record: again }], replacements: found, unreadable: [] });
  expect(text).toContain('  i-y: requested 2026-11-20 12:00:10 UTC, launched by 2026-11-20 12:02:10 UTC, not found serving yet');
});
