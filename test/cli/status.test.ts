import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStatus, type Status } from '../../aws/state/status-item.ts';
import { createStateStore } from '../../aws/state-store.ts';
import { foundIn, noDecisionText, noPolicyText, statusText } from '../../cli/status.ts';
import type { LaunchCheck } from '../../core/launch/launch-checks.ts';
import type { GroupState } from '../../core/view/view.ts';
import { startTables } from '../aws/tables.ts';
import { throwUnreadable } from '../aws/unreadable.ts';
import { state } from '../core/views.ts';

const check: LaunchCheck = {
  code: 'refused',
  pools: ['spot-a'],
  launchTemplate: 'web',
  market: 'spot',
  subnet: 'subnet-a',
  awsCode: 'UnauthorizedOperation',
  missing: { action: 'ssm:GetParameters', resource: 'arn:aws:ssm:eu-west-1:1:parameter/x' },
  message: 'AWS would refuse launch template web.',
};
const accepted: Status = { group: 'web', status: 'accepted', message: 'Version 1 is in force.', version: 1, problems: [], warnings: [], atMs: 1 };

describe('the status of a policy', () => {
  it('shows what its launches would return', () => {
    expect(statusText(accepted)).toContain(
      'Its launches have not been tried with a dry run yet. This follows within a minute, but only in mode act.',
    );
    const checkedAt = '2026-11-22T12:00:00.000Z';
    expect(statusText({ ...accepted, checks: [], checkedAt })).toContain(
      'Launches were tried at 2026-11-22 12:00:00 UTC: AWS would carry out all of them.',
    );
    expect(statusText({ ...accepted, checks: [], checkedAt: 'once' })).toContain('Launches were tried at once: AWS');
    expect(statusText({ ...accepted, checks: [check], checkedAt })).toContain('AWS would refuse launch template web. Pools: spot-a.');
  });
  it('shows why it was rejected, and its warnings', () => {
    const { version: _, ...rest } = accepted;
    const text = statusText({ ...rest, status: 'rejected', message: 'Rejected for 1 reason.', problems: [{ message: 'size: expected a number.' }] });
    expect(text).toBe('web: Rejected for 1 reason.\n\nReasons:\n  size: expected a number.');
  });
  it('shows each reason once, although the first ones are in the message of the item', () => {
    const { version: _, ...rest } = accepted;
    const problems = ['a: 1.', 'b: 2.', 'c: 3.', 'd: 4.'].map((message) => ({ message }));
    const message = 'Rejected for 4 reasons. a: 1. b: 2. c: 3. 1 more: see problems. No version is in force.';
    expect(statusText({ ...rest, status: 'rejected', message, problems })).toBe(
      'web: Rejected for 4 reasons. No version is in force.\n\nReasons:\n  a: 1.\n  b: 2.\n  c: 3.\n  d: 4.',
    );
    const warned = statusText({ ...accepted, message: 'Version 1 is in force. 1 warning. a: 1.', warnings: problems.slice(0, 1) });
    expect(warned).toContain('web: Version 1 is in force. 1 warning.\n\nWarnings:\n  a: 1.');
  });
  it('shows which parts of the version in force would be refused now', () => {
    const refusedNow = [{ message: 'pools.p.launchTemplate: expected a version that web has, found version 2, which was deleted.' }];
    const text = statusText({ ...accepted, refusedNow, lookedUpAt: '2026-11-22T12:00:00.000Z' });
    expect(text).toContain(
      'Version 1 stays in force, but it would be rejected if it were written now (last check: 2026-11-22 12:00:00 UTC):\n  pools.p.launch',
    );
    expect(statusText({ ...accepted, refusedNow: [], lookedUpAt: '2026-11-22T12:00:00.000Z' })).not.toContain('would be refused');
  });
  it('shows a size that others set beyond the maximum of the policy, and what Holdfast keeps of it', () => {
    expect(statusText(accepted, { beyondMax: { set: 9, kept: 7 } })).toContain(
      'web: Version 1 is in force.\n\nThe last look found that others set the size to 9. The maximum of the policy (size.max) is 7. ' +
        'Holdfast launches only while fewer than 7 members stay. The Auto Scaling group launches the others.\n',
    );
    expect(statusText(accepted)).not.toContain('Others set');
  });
  it('reads that size, and settings that acceptance refuses, in the state of the group', async () => {
    const found = (stored?: GroupState) => foundIn('web', { state: async () => stored });
    expect(await found(state({ desired: 7, beyondMax: 9 }))).toEqual({ beyondMax: { set: 9, kept: 7 } });
    expect([await found(state({ desired: 7 })), await found()]).toEqual([{}, {}]);
    const unfit = [{ asg: 'web-asg', found: ['weights' as const] }];
    expect([await found(state({ unfit })), await found(state({ unfit: [] }))]).toEqual([{ unfit }, {}]);
  });
  it('says which settings of an Auto Scaling group the last look found that the policy would be refused with', () => {
    expect(statusText(accepted, { unfit: [{ asg: 'web-asg', found: ['launch-suspended'] }] })).toContain(
      'the owner of web-asg has suspended Launch: no instance can join it, and what Holdfast launches for it waits outside.',
    );
    const text = statusText(accepted, { unfit: [{ asg: 'web-asg', found: ['capacity-rebalancing', 'weights'] }] });
    expect(text).toContain('\nFound by the last look:\n  web-asg has Capacity Rebalancing now, with which the policy would be refused: it replaces');
    expect(text).toContain(
      '\n  web-asg has weights of instance types now, with which the policy would be refused: its sizes count these, so Holdfast',
    );
    expect(statusText(accepted)).not.toContain('Found by the last look');
  });
  it('shows Auto Scaling groups of the policy that are gone', () => {
    expect(statusText(accepted, { goneAsgs: ['web-asg', 'api-asg'] })).toContain(
      'web: Version 1 is in force.\n\nThere is no Auto Scaling group web-asg, api-asg, so no member can be there. ' +
        'Create one of that name, name another one in the policy, or delete the policy.\n',
    );
    expect(statusText(accepted)).not.toContain('There is no');
  });
  it('reads that size, and the groups that were told as gone, in the state of the group', async () => {
    const found = (stored?: GroupState) => foundIn('web', { state: async () => stored });
    expect(await found(state({ desired: 7, beyondMax: 9 }))).toEqual({ beyondMax: { set: 9, kept: 7 } });
    const goneAsgs = { 'web-asg': { sinceMs: 1, isTold: true as const }, 'api-asg': { sinceMs: 2 } };
    expect(await found(state({ goneAsgs }))).toEqual({ goneAsgs: ['web-asg'] });
    expect([await found(state({ desired: 7 })), await found()]).toEqual([{}, {}]);
  });
  it('is shown where a group has no decisions', () => {
    expect(noDecisionText('web', { ...accepted, message: 'Rejected for 1 reason.' }, [])).toContain('Its policy: Rejected for 1 reason.');
    expect(noDecisionText('wev', undefined, ['api', 'web'])).toBe('No policy was ever written for wev. Did you mean web? Groups: api, web.');
  });
  it('names the groups that there are where nobody wrote a policy of that name', () => {
    expect(noPolicyText('workers', ['api', 'web'])).toBe('No policy was ever written for workers. Groups: api, web.');
    expect(noPolicyText('workers', [])).toBe('No policy was ever written for workers. This deployment has no groups.');
    const many = Array.from({ length: 23 }, (_, index) => `g-${String(index).padStart(2, '0')}`);
    expect(noPolicyText('workers', many)).toMatch(/ Groups: g-00, .*, g-19, and 3 more\.$/);
  });
});

describe('the status item', () => {
  let tables: Awaited<ReturnType<typeof startTables>>;
  beforeAll(async () => {
    tables = await startTables();
  });
  afterAll(() => tables.stop());

  it('gets the checks of its own version, and of no other', async () => {
    const { client } = tables;
    await client.send(new PutCommand({ TableName: 'groups', Item: { ...accepted, item: 'status' } }));
    const store = createStateStore({ client, groupsTable: 'groups', stateTable: 'state', now: () => 1, tell: throwUnreadable });
    await store.putChecks('web', 2, [check], 5);
    expect(await readStatus(client, 'groups', 'web')).toEqual(accepted);
    await store.putChecks('web', 1, [check], 5);
    expect(await readStatus(client, 'groups', 'web')).toEqual({ ...accepted, checks: [check], checkedAt: '1970-01-01T00:00:00.005Z' });
    expect(await readStatus(client, 'groups', 'api')).toBeUndefined();
  });
});
