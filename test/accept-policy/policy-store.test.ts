import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPolicyStore } from '../../aws/policy/policy-store.ts';
import { readStatus } from '../../aws/state/status-item.ts';
import { createStateStore } from '../../aws/state-store.ts';
import type { PolicyStore, PolicyVersion } from '../../core/policy/ports.ts';
import { problemOf } from '../../core/policy/problem.ts';
import { resolveGroup } from '../../core/policy/resolve.ts';
import { validatePolicy } from '../../core/policy/validate.ts';
import { startTables } from '../aws/tables.ts';
import { throwUnreadable } from '../aws/unreadable.ts';
import { fullDocument, resolution } from '../policy/documents.ts';
import { createMemoryStore } from './memory-store.ts';

const versionOf = (group: string, version: number): PolicyVersion => {
  const validation = validatePolicy({ ...fullDocument, group });
  if (validation.kind === 'invalid') throw new Error('invalid');
  const resolved = resolveGroup(validation.policy, resolution, version);
  if (resolved.kind === 'unresolved') throw new Error('unresolved');
  return { group, version, acceptedAtMs: 1_800_000_000_000, document: fullDocument, resolution, resolved: resolved.group };
};

type Door = { readonly store: PolicyStore; write(group: string, document: unknown): Promise<void>; remove(group: string): Promise<void> };

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());

const overDynamoDb = (): Door => ({
  store: createPolicyStore({ client: tables.client, groupsTable: 'groups', stateTable: 'state', tell: throwUnreadable }),
  async write(group, policy) {
    await tables.client.send(new PutCommand({ TableName: 'groups', Item: { group, item: 'policy', policy } }));
  },
  async remove(group) {
    await tables.client.send(new DeleteCommand({ TableName: 'groups', Key: { group, item: 'policy' } }));
  },
});
const inMemory = (): Door => {
  const memory = createMemoryStore();
  return { store: memory.store, write: async (...written) => memory.write(...written), remove: async (group) => memory.remove(group) };
};

describe.each([
  ['in memory', inMemory],
  ['over DynamoDB', overDynamoDb],
])('a policy store %s', (_, open) => {
  it('reads what the user wrote last, and nothing once it is deleted', async () => {
    const { store, write, remove } = open();
    expect(await store.written('a')).toBeUndefined();
    await write('a', fullDocument);
    expect(await store.written('a')).toEqual({ document: fullDocument, others: [] });
    await write('a', 'size: 3');
    expect(await store.written('a')).toEqual({ document: 'size: 3', others: [] });
    await remove('a');
    expect(await store.written('a')).toBeUndefined();
  });

  it('accepts every version number once, and returns the latest version', async () => {
    const { store } = open();
    expect(await store.latest('b')).toBeUndefined();
    for (const number of [1, 2, 10]) expect(await store.addVersion(versionOf('b', number))).toBe('done');
    expect(await store.addVersion(versionOf('b', 2))).toBe('conflict');
    expect(await store.latest('b')).toMatchObject(versionOf('b', 10));
  });

  it('puts a version in force, also twice, unless a later version is in force', async () => {
    const { store } = open();
    expect(await store.putInForce(versionOf('c', 2))).toBe('done');
    expect(await store.putInForce(versionOf('c', 2))).toBe('done');
    expect(await store.putInForce(versionOf('c', 1))).toBe('conflict');
    expect(await store.putInForce(versionOf('c', 3))).toBe('done');
    expect(await store.accepted('c')).toMatchObject(versionOf('c', 3));
    await store.removeInForce('c');
    await store.removeInForce('c');
    expect(await store.accepted('c')).toBeUndefined();
  });

  it('notes the sent events of the version in force, and of no other version', async () => {
    const { store } = open();
    await store.putInForce({ ...versionOf('d', 2), untold: [{ version: 2, warnings: ['size: 0'] }] });
    expect((await store.accepted('d'))?.untold).toEqual([{ version: 2, warnings: ['size: 0'] }]);
    expect(await store.noteTold(versionOf('d', 1))).toBe('conflict');
    expect((await store.accepted('d'))?.untold).toHaveLength(1);
    expect(await store.noteTold({ ...versionOf('d', 2), untold: [{ version: 2, warnings: [] }] })).toBe('done');
    expect(await store.accepted('d')).toMatchObject(versionOf('d', 2));
    expect((await store.accepted('d'))?.untold).toBeUndefined();
    await store.removeInForce('d');
    expect(await store.noteTold(versionOf('d', 2))).toBe('conflict');
  });

  it('gives an Auto Scaling group to one of those that saw the same claim on it', async () => {
    const { store } = open();
    const claim = (group: string, atMs: number) => ({ asg: 'fleet', group, atMs, before: [] });
    expect(await store.claimOf('fleet')).toBeUndefined();
    expect(await store.claim(claim('web', 1), undefined)).toBe('done');
    expect(await store.claim(claim('api', 1), undefined)).toBe('conflict');
    expect(await store.claimOf('fleet')).toEqual(claim('web', 1));
    const released = { ...claim('web', 1), released: true };
    expect(await store.claim(released, claim('web', 1))).toBe('done');
    expect(await store.claim(claim('api', 2), claim('web', 1))).toBe('conflict');
    expect(await store.claim({ ...claim('api', 2), before: ['web'] }, released)).toBe('done');
    expect(await store.claimOf('fleet')).toEqual({ ...claim('api', 2), before: ['web'] });
  });

  it('refuses to write a claim for which another group has begun to wait since', async () => {
    const { store } = open();
    const claim = { asg: 'queue', group: 'web', atMs: 1, before: [] };
    const waited = { ...claim, atMs: 2, waiting: ['api'] };
    expect(await store.claim(claim, undefined)).toBe('done');
    expect(await store.claim(waited, claim)).toBe('done');
    expect((await store.waitedFor()).filter(({ asg }) => ['fleet', 'queue'].includes(asg))).toEqual([waited]);
    expect(await store.claim({ ...claim, released: true }, claim)).toBe('conflict');
    expect(await store.claim({ ...claim, atMs: 3, waiting: ['jobs'] }, claim)).toBe('conflict');
    expect(await store.claim({ ...waited, released: true }, waited)).toBe('done');
    expect(await store.claimOf('queue')).toEqual({ ...waited, released: true });
  });

  it('lists groups, and those that were let go with the time until which they are looked at', async () => {
    const { store } = open();
    const entry = (group: string) => ({ group, policyVersion: 1, asgs: ['x-asg'], alarms: [] });
    await store.register(entry('d'));
    await store.register(entry('e'));
    expect(await store.registry()).toEqual(expect.arrayContaining([expect.objectContaining(entry('d')), expect.objectContaining(entry('e'))]));
    const letGo = { group: 'd', policyVersion: 1, asgs: [], alarms: [], letGoUntilMs: 9 };
    await store.register(letGo);
    expect(await store.registry()).toEqual(expect.arrayContaining([expect.objectContaining(letGo), expect.objectContaining(entry('e'))]));
  });
});

describe('a policy store over DynamoDB', () => {
  it('distinguishes a state without Auto Scaling groups from a state that is lost', async () => {
    const { store } = overDynamoDb();
    const holdersIn = async (group: string, state: unknown) => {
      await tables.client.send(new PutCommand({ TableName: 'state', Item: { group, item: 'state', state } }));
      return store.holders(group);
    };
    expect(await store.holders('lost')).toBeUndefined();
    const policyVersion = 3;
    expect(await holdersIn('of-tags', { policyVersion })).toEqual({ policyVersion, asgs: [] });
    expect(await holdersIn('left', { policyVersion, holders: [] })).toEqual({ policyVersion, asgs: [] });
    expect(await holdersIn('held', { policyVersion, holders: ['workers-asg'] })).toEqual({ policyVersion, asgs: ['workers-asg'] });
    expect(await holdersIn('garbled', { policyVersion, holders: 'workers-asg' })).toBeUndefined();
    const suspended = [{ asg: 'workers-asg', processes: ['Launch'], atMs: 1 }];
    const held = { policyVersion, holders: ['workers-asg'] };
    expect(await holdersIn('suspends', { ...held, suspended })).toEqual({ policyVersion, asgs: ['workers-asg'], suspended });
    expect(await holdersIn('suspends-not', { ...held, suspended: [] })).toEqual({ policyVersion, asgs: ['workers-asg'] });
    // A state that says no version is older than any.
    expect(await holdersIn('old', { policyVersion: '3', holders: ['workers-asg'] })).toEqual({ policyVersion: 0, asgs: ['workers-asg'] });
  });

  it('leaves what the state store reads', async () => {
    const { store } = overDynamoDb();
    await store.putInForce(versionOf('f', 4));
    await store.register({ group: 'f', policyVersion: 4, asgs: ['workers-asg'], alarms: ['x'] });
    const state = createStateStore({ client: tables.client, groupsTable: 'groups', stateTable: 'state', now: () => 0, tell: throwUnreadable });
    expect(await state.group('f')).toEqual(versionOf('f', 4).resolved);
    const entry = { group: 'f', policyVersion: 4, asgs: ['workers-asg'], alarms: ['x'] };
    expect(await state.registry()).toEqual(expect.arrayContaining([expect.objectContaining(entry)]));
    await store.addVersion(versionOf('f', 4));
    await store.addVersion(versionOf('f', 5));
    await store.removeInForce('f');
    expect(await state.group('f')).toBeUndefined();
    expect(await state.lastGroup('f')).toEqual(versionOf('f', 5).resolved);
    expect(await state.lastGroup('nobody')).toBeUndefined();
  });

  it('writes a status that people can read', async () => {
    const { store } = overDynamoDb();
    await store.putStatus({ group: 'g', status: 'rejected', message: 'No.', problems: [], warnings: [], atMs: 1_800_000_000_000 });
    const { GetCommand } = await import('@aws-sdk/lib-dynamodb');
    const { Item } = await tables.client.send(new GetCommand({ TableName: 'groups', Key: { group: 'g', item: 'status' } }));
    expect(Item).toEqual({
      group: 'g',
      item: 'status',
      status: 'rejected',
      message: 'No.',
      problems: [],
      warnings: [],
      atMs: 1_800_000_000_000,
      at: '2027-01-15T08:00:00.000Z',
    });
  });

  it('notes later problems next to the status of that version, and of no other', async () => {
    const { store } = overDynamoDb();
    await store.putStatus({ group: 'noted', status: 'accepted', message: 'Yes.', version: 3, problems: [], warnings: [], atMs: 1_800_000_000_000 });
    const problem = problemOf({ path: ['pools'], found: 'one', allowed: 'another' });
    await store.putRefusedNow('noted', 2, [problem], 1_800_000_000_000);
    expect(await readStatus(tables.client, 'groups', 'noted')).not.toHaveProperty('refusedNow');
    await store.putRefusedNow('noted', 3, [problem], 1_800_000_000_000);
    expect(await readStatus(tables.client, 'groups', 'noted')).toMatchObject({
      status: 'accepted',
      refusedNow: [{ message: problem.message }],
      lookedUpAt: '2027-01-15T08:00:00.000Z',
    });
  });

  it('reads numbers of any size, sets and bytes without an exception, because the rules refuse them', async () => {
    const raw = new DynamoDBClient(tables.config);
    const policy = { M: { size: { N: '1e100' }, subnets: { SS: ['a'] }, bytes: { B: new Uint8Array([1]) }, nothing: { NULL: true } } };
    await raw.send(new PutItemCommand({ TableName: 'groups', Item: { group: { S: 'h' }, item: { S: 'policy' }, policy } }));
    raw.destroy();
    const written = await overDynamoDb().store.written('h');
    expect(validatePolicy(written?.document)).toMatchObject({ kind: 'invalid' });
  });

  it('names the attributes of a policy item that are never read', async () => {
    const raw = new DynamoDBClient(tables.config);
    const Item = { group: { S: 'j' }, item: { S: 'policy' }, polcy: { S: 'size: 3' }, author: { S: 'me' } };
    await raw.send(new PutItemCommand({ TableName: 'groups', Item }));
    raw.destroy();
    expect(await overDynamoDb().store.written('j')).toEqual({ document: undefined, others: ['author', 'polcy'] });
  });
});
