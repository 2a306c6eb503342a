import { expect, it } from 'vitest';
import { emptyDraft } from '../../core/decide/draft.ts';
import type { DecisionRecord, SizeChange } from '../../core/decision/decision-record.ts';
import type { Observation } from '../../core/observe/observe.ts';
import { type Decided, recordDecided, recordObserved } from '../../functions/react/record/record.ts';
import type { Run } from '../../functions/react/run.ts';
import { group, nowMs, view } from '../core/views.ts';
import { factsOf } from './facts.ts';

const sizes: readonly SizeChange[] = [
  { code: 'outside', from: 3, to: 5 },
  { code: 'schedule', at: '0 8 * * *', timezone: 'UTC', atMs: nowMs, from: 5, to: 6 },
  { code: 'alarm', alarm: 'low', atMs: nowMs, adjust: { kind: 'instances', by: -1 }, from: 6, to: 5 },
];

/** The changes of the size that the stored decision of a group names, and those of the decision that it would have made. */
const namedIn = async (mode: 'observe' | undefined) => {
  const kept: DecisionRecord[] = [];
  const ports = { store: { putDecision: async (one: DecisionRecord) => void kept.push(one) }, clock: { now: () => nowMs } };
  const run = {
    group: group(mode && { mode }),
    facts: factsOf({ causes: [] }),
    ports,
    id: 'd-1',
    observedId: 'd-2',
    startedAtMs: nowMs,
  } as unknown as Run;
  const { lack: _lack, ...draft } = emptyDraft;
  const decision = { ...draft, group: 'web', desired: 5, staying: 5 };
  const decided: Decided = { view: view({ group: group(mode && { mode }) }), decision, sizes, earlier: [] };
  await recordDecided(run, decided);
  await recordObserved(run, decided, { decision, outcome: { code: 'observed', leaves: [] } } as unknown as Observation);
  return kept.map((one) => one.sizes?.map(({ code }) => code));
};

it('an observed group names an alarm and a time of its schedule only in the decision that it would have made', async () => {
  const all = ['outside', 'schedule', 'alarm'];
  expect(await namedIn('observe')).toEqual([['outside'], all]);
  expect((await namedIn(undefined))[0]).toEqual(all);
});
