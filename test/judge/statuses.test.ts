import { describe, expect, it } from 'vitest';
import { statusesAreTrue } from '../../sandbox/judge/rules/said/statuses.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

type Says = { readonly status: string; readonly version?: number; readonly problems?: number; readonly warnings?: number; readonly waits?: true };

const status = (script: Script, second: number, says: Says): void =>
  script.at(second, { kind: 'item-written', table: 'groups', group: 'web', item: 'status', bytes: 300, by: react('accept'), status: says });

const judged = (write: (script: Script) => void): readonly string[] =>
  details(statusesAreTrue, (script) => {
    twoServe(script);
    status(script, 1, { status: 'accepted', version: 1 });
    write(script);
  });

describe('the status of a policy', () => {
  it('names the version in force', () => {
    const named = (version: number) =>
      judged((script) => {
        script.policy(100, 2);
        status(script, 101, { status: 'accepted', version });
      });
    expect(named(2)).toEqual([]);
    expect(named(1)).toEqual(['version 2 of web is in force, and its status says 1']);
    expect(judged((script) => script.policy(100, 2))).toHaveLength(1);
  });

  it('says accepted only once the version is in force', () => {
    const early = (second: number) =>
      judged((script) => {
        script.policy(100, 2);
        status(script, second, { status: 'accepted', version: 2 });
      });
    expect(early(100)).toEqual([]);
    expect(early(99)).toEqual(['the status of web says that version 2 is accepted, and it is not in force']);
  });

  it('need not be newer than a write that changed the order of a map, and has to be newer than one that changed that of a list', () => {
    const rewritten = (document: Readonly<Record<string, unknown>>) =>
      judged((script) => {
        script.at(0, { kind: 'policy-written', group: 'web', document: { ...policy, size: { min: 1, max: 2 }, list: [1, 2] } });
        status(script, 2, { status: 'accepted', version: 1 });
        script.at(100, { kind: 'policy-written', group: 'web', document });
      });
    expect(rewritten({ list: [1, 2], ...policy, size: { max: 2, min: 1 } })).toEqual([]);
    expect(rewritten({ ...policy, size: { min: 1, max: 2 }, list: [2, 1] })).toEqual(['the status of web is older than its policy']);
  });

  it('has the result of the last write, unless it changed nothing', () => {
    const document = { ...policy, size: -1 };
    const written = (second: number) =>
      judged((script) => {
        script.at(0, { kind: 'policy-written', group: 'web', document: policy });
        script.at(100, { kind: 'policy-written', group: 'web', document });
        status(script, second, { status: 'rejected', version: 1, problems: 1 });
        script.at(200, { kind: 'policy-written', group: 'web', document });
      });
    expect(written(102)).toEqual([]);
    expect(written(99)).toEqual(['the status of web is older than its policy']);
  });

  it('names a problem where the policy was rejected', () => {
    const rejected = (problems: number) => judged((script) => status(script, 101, { status: 'rejected', version: 1, problems }));
    expect(rejected(1)).toEqual([]);
    expect(rejected(0)).toEqual(['the policy of web is rejected, and its status names no problem']);
  });

  it('names the warnings that were sent about its version', () => {
    const accepted = (warnings: number, version = 2) =>
      judged((script) => {
        script.policy(100, 2);
        const detail = { group: 'web', version, warnings: ['one', 'two'] };
        script.at(101, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail });
        status(script, 101, { status: 'accepted', version: 2, warnings });
      });
    expect(accepted(2)).toEqual([]);
    expect(accepted(1)).toEqual(['2 warnings were sent about version 2 of web, and its status names 1']);
    expect(accepted(0, 1)).toHaveLength(1);
  });

  it('names the warnings of the run that wrote it, where the same version is read again', () => {
    const sent = (script: Script, second: number, warnings: readonly string[]): void =>
      script.at(second, { kind: 'announced', detailType: 'Holdfast Policy Accepted', detail: { group: 'web', version: 2, warnings } });
    const readAgain = (first: number, second: number) =>
      judged((script) => {
        script.policy(100, 2);
        status(script, 101, { status: 'accepted', version: 2, warnings: first });
        sent(script, 102, []);
        status(script, 200, { status: 'accepted', version: 2, warnings: second });
        sent(script, 201, ['one']);
        // Another function writes the status again.
        status(script, 210, { status: 'accepted', version: 2, warnings: second });
      });
    expect(readAgain(0, 1)).toEqual([]);
    expect(readAgain(0, 0)).toHaveLength(2);
    // A run that died had put the version in force. Its event is sent before the status of the run that repeats it.
    const repeated = (lastSent: readonly string[]) =>
      judged((script) => {
        script.policy(100, 2);
        sent(script, 102, ['one']);
        status(script, 103, { status: 'accepted', version: 2, warnings: 0 });
        sent(script, 104, lastSent);
      });
    expect(repeated([])).toEqual([]);
    expect(repeated(['one'])).toHaveLength(1);
  });

  it('says of a group that it is let go, and of no other', () => {
    const letGo = (says: string) =>
      judged((script) => {
        script.letGo(100);
        status(script, 101, { status: says });
      });
    expect(letGo('let-go')).toEqual([]);
    expect(letGo('rejected')).toEqual(['no version of web is in force, expected the status let-go, found rejected']);
    expect(judged((script) => status(script, 101, { status: 'let-go' }))).toEqual(['web is held, and its status says let-go']);
  });

  it('says of a policy that is written for a group without one, and is not in force, that it was rejected', () => {
    const writtenAgain = (says: string) =>
      judged((script) => {
        script.at(0, { kind: 'policy-written', group: 'web', document: policy });
        script.at(100, { kind: 'policy-written', group: 'web' });
        script.letGo(100);
        status(script, 101, { status: 'let-go' });
        script.at(200, { kind: 'policy-written', group: 'web', document: { ...policy, size: -1 } });
        status(script, 201, { status: says });
      });
    expect(writtenAgain('rejected')).toEqual([]);
    expect(writtenAgain('let-go')).toEqual(['no version of web is in force, expected the status rejected, found let-go']);
  });

  it('waits for nothing but Auto Scaling groups that another group holds', () => {
    const waiting = (asg: string, says: object = { waits: true }) =>
      judged((script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.at(50, { kind: 'policy-written', group: 'api', document: { ...policy, group: 'api', asg } });
        const status = { status: 'rejected', problems: 1, ...says };
        script.at(51, { kind: 'item-written', table: 'groups', group: 'api', item: 'status', bytes: 300, by: react('accept'), status });
      });
    expect(waiting('web-asg')).toEqual([]);
    expect(waiting('other-asg')).toEqual(['the status of api says that it waits for Auto Scaling groups, and nobody holds them']);
    expect(waiting('other-asg', {})).toEqual([]);
  });

  it('waits for a group that moves away until a quarter of an hour after its last member has left, and not for one that was deleted', () => {
    const waiting = ({ edit = (script: Script) => script.policy(60, 2), restAtMs = 900_000, leavesAt = 100 } = {}) =>
      details(
        statusesAreTrue,
        (script) => {
          const named = { ...policy, asg: 'web-asg' };
          script.at(0, { kind: 'policy-written', group: 'web', document: named });
          script.policy(0, 1, named);
          script.member('i-1', { asg: 'web-asg' });
          edit(script);
          script.end(leavesAt, 'i-1');
          script.at(50, { kind: 'policy-written', group: 'api', document: { ...named, group: 'api' } });
          const status = { status: 'rejected', problems: 1, waits: true } as const;
          script.at(51, { kind: 'item-written', table: 'groups', group: 'api', item: 'status', bytes: 300, by: react('accept'), status });
        },
        { restAtMs },
      ).filter((detail) => detail.includes('waits'));
    expect(waiting()).toEqual([]);
    expect(waiting({ restAtMs: 1_000_000 })).toEqual([]);
    expect(waiting({ restAtMs: 1_100_000 })).toHaveLength(1);
    expect(waiting({ restAtMs: 1_100_000, leavesAt: 300 })).toEqual([]);
    expect(waiting({ edit: (script) => script.letGo(60) })).toHaveLength(1);
  });
});
