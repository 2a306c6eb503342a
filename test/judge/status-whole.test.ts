import { describe, expect, it } from 'vitest';
import { statusesAreWhole } from '../../sandbox/judge/rules/said/status-whole.ts';
import type { SaidStatus } from '../../sandbox/judge/said/status.ts';
import { details } from './details.ts';
import { policy, react, type Script, user } from './histories.ts';

const atMs = 100_000;
const accepted: SaidStatus = {
  ...{ status: 'accepted', version: 2, message: 'Version 2 is in force.', digest: 'd-1' },
  ...{ atMs, at: new Date(atMs).toISOString() },
};
const rejected: SaidStatus = { ...accepted, status: 'rejected', problems: 1, message: 'Rejected for 1 reason. size: no. Version 2 stays in force.' };
const letGo: SaidStatus = { status: 'let-go', message: 'The policy was deleted, so the group is let go.', atMs, at: new Date(atMs).toISOString() };

const wrote = (second: number, digest: string) => (script: Script) =>
  script.at(second, { kind: 'policy-written', group: 'web', document: policy, digest });

/** A status that is written at 100 s, after the policies that are written here. */
const found = (status: SaidStatus, write: (script: Script) => void = wrote(90, 'd-1'), by = react('i-a')) =>
  details(statusesAreWhole, (script) => {
    write(script);
    script.at(100, { kind: 'item-written', table: 'groups', group: 'web', item: 'status', bytes: 10, by, status });
  });

describe('a status is whole', () => {
  it('holds where its text says what its attributes say, and breaks for another version', () => {
    expect(found(accepted)).toEqual([]);
    expect(found({ ...accepted, version: 3 })).toEqual(['the status of web (accepted): its text does not say “Version 3 is in force.”']);
  });

  it('of a rejected policy says for how many reasons, and which version stays in force', () => {
    expect(found(rejected)).toEqual([]);
    expect(found({ ...rejected, problems: 2 })).toEqual(['the status of web (rejected): its text does not say “Rejected for 2 reasons.”']);
    expect(found({ ...rejected, version: 3 })).toHaveLength(1);
    const { version: _, ...none } = rejected;
    expect(found(none)).toHaveLength(1);
    expect(found({ ...none, message: 'Rejected for 1 reason. No version is in force: the group is not acted on.' })).toEqual([]);
    const many = { ...rejected, message: 'Rejected for 80 reasons. Version 2 stays in force.' };
    expect(found({ ...many, problems: 50 })).toEqual([]);
    expect(found({ ...many, problems: 49 })).toHaveLength(1);
  });

  it('has the digest of a policy that was written, also of one that was written a moment before the last', () => {
    expect(found({ ...accepted, digest: 'd-2' })).toEqual(['the status of web (accepted): its digest is of no policy that was written']);
    const { digest: _, ...none } = accepted;
    expect(found(none)).toHaveLength(1);
    expect(found(accepted, (script) => [wrote(80, 'd-1')(script), wrote(99, 'd-2')(script)])).toEqual([]);
    expect(found(accepted, (script) => [wrote(-600, 'd-1')(script), wrote(-550, 'd-2')(script)])).toHaveLength(1);
  });

  it('about no policy has none', () => {
    const deleted = (script: Script): void => {
      wrote(90, 'd-1')(script);
      script.at(95, { kind: 'policy-written', group: 'web' });
    };
    expect(found(letGo, deleted)).toEqual([]);
    expect(found({ ...letGo, digest: 'd-3' }, deleted)).toHaveLength(1);
    expect(found({ ...letGo, message: 'Done.' }, deleted)).toEqual(['the status of web (let-go): its text does not say “the group is let go”']);
  });

  it('breaks where its two times differ, or have not come', () => {
    expect(found({ ...accepted, at: new Date(atMs + 1).toISOString() })).toHaveLength(1);
    expect(found({ ...accepted, atMs: atMs + 5_000, at: new Date(atMs + 5_000).toISOString() })).toHaveLength(1);
    expect(found({ ...accepted, atMs: atMs - 5_000, at: new Date(atMs - 5_000).toISOString() })).toEqual([]);
  });

  it('says nothing of what people write, and of histories without texts', () => {
    expect(found({ ...accepted, version: 3 }, wrote(90, 'd-1'), user)).toEqual([]);
    expect(found({ status: 'accepted', version: 3 })).toEqual([]);
  });
});
