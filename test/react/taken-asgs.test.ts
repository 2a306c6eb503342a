import { expect, test } from 'vitest';
import type { AsgClaim } from '../../core/policy/ports.ts';
import type { GroupState } from '../../core/view/view.ts';
import { withoutForeign, withoutTaken } from '../../functions/react/look/taken-asgs.ts';
import { members } from '../core/members.ts';
import { group, spotA, state } from '../core/views.ts';

const web = group({ holding: { kind: 'attach', asg: 'next' } });
const raised = [{ asg: 'before', fromMax: 6, toMax: 8 }];
const added = [{ asg: 'before', from: 4, instances: ['i-1'], atMs: 1 }];
const suspended = [{ asg: 'before', processes: ['Launch'], atMs: 1 }];
const kept = state({ holders: ['before', 'next'], raised, added, suspended });

const claimed = (by: string, changes: Partial<AsgClaim> = {}): AsgClaim => ({ asg: 'before', group: by, atMs: 1, before: ['web'], ...changes });

const seen = (claim: AsgClaim | undefined, holder?: GroupState): Promise<GroupState> =>
  withoutTaken(web, kept, { claimOf: async () => claim, state: async () => holder });

test('an Auto Scaling group of an earlier policy stays ours while our claim holds', async () => {
  expect(await seen(claimed('web'))).toBe(kept);
  expect(await seen(undefined)).toBe(kept);
});

test('after a group was let go, its earlier Auto Scaling groups hold no members of it, and it still puts back what it changed there', async () => {
  expect(await seen(claimed('web', { released: true }))).toMatchObject({ holders: ['next'], raised, added, suspended });
});

test('an earlier Auto Scaling group that another group holds now is left to it', async () => {
  expect(await seen(claimed('api'))).toMatchObject({ holders: ['next'], raised, added });
});

test('a change is put back by the new holder alone, once it has read what was changed', async () => {
  const left = await seen(claimed('api'), state({ holders: ['before'] }));
  expect(left).toMatchObject({ holders: ['next'], raised: [] });
  expect(left).not.toHaveProperty('added');
  expect(left).not.toHaveProperty('suspended');
  const noted = state({ holders: ['next'], added });
  const withNoteAlone = await withoutTaken(web, noted, { claimOf: async () => claimed('api'), state: async () => state({ holders: ['before'] }) });
  expect(withNoteAlone).not.toHaveProperty('added');
});

test('the Auto Scaling groups that the policy names are not looked up', async () => {
  const never = { claimOf: () => Promise.reject(new Error('Nothing is to be read.')), state: async () => undefined };
  const plain = state({ holders: ['next'] });
  expect(await withoutTaken(web, plain, never)).toBe(plain);
});

test('members by tag in an Auto Scaling group count for the group that holds it, and for no other group', async () => {
  const all = members(spotA, 3);
  const shown = { members: all, asgs: [], aside: [], stopped: [], ended: [], elsewhere: { 'spot-a#1': 'before' } };
  const held = (claim: AsgClaim | undefined, of = group()) => withoutForeign(of, shown, { claimOf: async () => claim, state: async () => undefined });
  expect(await held(claimed('api'))).toMatchObject({ members: all.slice(1), foreign: ['spot-a#1'] });
  for (const claim of [claimed('api', { released: true }), claimed('web'), undefined]) expect(await held(claim)).toBe(shown);
  expect(await held(claimed('web', { released: true }), web)).toMatchObject({ members: all.slice(1), foreign: ['spot-a#1'] });
});
