import { describe, expect, it } from 'vitest';
import { ownersSuspensionsStand } from '../../sandbox/judge/rules/auto-scaling/suspended.ts';
import { requestedSoon } from '../../sandbox/judge/rules/launches/requested.ts';
import { details } from './details.ts';
import { policy, react, type Script, user } from './histories.ts';

const numbers = { kind: 'asg-changed', asg: 'web-asg', min: 1, max: 4, desired: 2 } as const;

type Call = { readonly to: 'Suspend' | 'Resume'; readonly names?: readonly string[]; readonly isLost?: boolean; readonly isNoted?: boolean };

/** An invocation that looks, and then suspends or resumes processes. `now`: what is suspended after that. */
const calls = (
  script: Script,
  [fromS, atS]: readonly [number, number],
  { to, names = ['Launch'], isLost, isNoted = true }: Call,
  now?: readonly string[],
): void => {
  const invocation = `i-${fromS}`;
  script.react(fromS, atS + 1, invocation);
  if (now !== undefined) script.at(atS, { ...numbers, suspended: now, by: react(invocation) });
  script.at(atS, {
    kind: 'called',
    invocation,
    function: 'react',
    service: 'autoscaling',
    operation: `${to}Processes`,
    askedAtMs: 1_000 * atS,
    outcome: isLost ? 'lost' : 'ok',
    applied: true,
    isMutating: true,
    processes: { asg: 'web-asg', names },
  });
  if (isNoted) script.desired(atS + 1, 2, 1, react(invocation));
};

const owner = (script: Script, atS: number, now: readonly string[]): void => script.at(atS, { ...numbers, suspended: now, by: user });
const said = (write: (script: Script) => void): readonly string[] =>
  details(ownersSuspensionsStand, (script) => {
    script.policy(0, 1);
    write(script);
  });

const wrong = 'Launch of web-asg was resumed, and its owner had suspended it 50 s before';

describe('a process that its owner suspended stays suspended', () => {
  it('breaks where Holdfast resumes what it never suspended, also beside a process of its own', () => {
    const ofOwner = (script: Script): void => owner(script, 100, ['Launch']);
    expect(
      said((script) => {
        ofOwner(script);
        calls(script, [149, 150], { to: 'Resume' }, []);
      }),
    ).toEqual([wrong]);
    expect(
      said((script) => {
        ofOwner(script);
        calls(script, [119, 120], { to: 'Suspend', names: ['Terminate'] }, ['Launch', 'Terminate']);
        calls(script, [149, 150], { to: 'Resume', names: ['Launch', 'Terminate'] }, []);
      }),
    ).toEqual([wrong]);
  });

  it('breaks once for one suspension of the owner: what Holdfast suspends itself after it had resumed that is its own', () => {
    const again = (...between: readonly ((script: Script) => void)[]): readonly string[] =>
      said((script) => {
        owner(script, 100, ['Launch']);
        calls(script, [149, 150], { to: 'Resume' }, []);
        for (const one of between) one(script);
        calls(script, [249, 250], { to: 'Resume' }, []);
      });
    expect(again((script) => calls(script, [199, 200], { to: 'Suspend' }, ['Launch']))).toEqual([wrong]);
    // The owner suspends it again.
    expect(again((script) => owner(script, 200, ['Launch']))).toEqual([wrong, wrong]);
  });

  it('breaks where a look took the suspension of the owner for its own', () => {
    const taken = (lookS: number): readonly string[] =>
      said((script) => {
        owner(script, 100, ['Launch']);
        calls(script, [lookS, 120], { to: 'Suspend' });
        calls(script, [149, 150], { to: 'Resume' }, []);
      });
    expect(taken(119)).toEqual([wrong]);
    // This look began before the owner suspended it.
    expect(taken(99)).toEqual([]);
  });

  it('holds where Holdfast had suspended it when its owner did, whoever resumes it then', () => {
    const both = (...between: readonly ((script: Script) => void)[]): readonly string[] =>
      said((script) => {
        calls(script, [79, 80], { to: 'Suspend' }, ['Launch']);
        for (const happens of between) happens(script);
        owner(script, 100, ['Launch']);
        calls(script, [149, 150], { to: 'Resume' }, []);
      });
    expect(both()).toEqual([]);
    // Others resumed it, and no look has shown that.
    expect(both((script) => owner(script, 90, []))).toEqual([]);
    // Holdfast resumed it, so the suspension of the owner is another one.
    expect(both((script) => calls(script, [89, 90], { to: 'Resume' }, []))).toEqual([wrong]);
  });

  it('holds for a call without a stored answer, which may have taken effect later, and no longer than that', () => {
    const late = (call: Partial<Call>, atS = 80): readonly string[] =>
      said((script) => {
        calls(script, [atS - 1, atS], { to: 'Suspend', ...call }, ['Launch']);
        calls(script, [atS + 4, atS + 5], { to: 'Resume' }, []);
        owner(script, 100, ['Launch']);
        calls(script, [149, 150], { to: 'Resume' }, []);
      });
    expect(late({ isLost: true })).toEqual([]);
    expect(late({ isNoted: false })).toEqual([]);
    expect(late({})).toEqual([wrong]);
    expect([late({ isLost: true }, 47), late({ isLost: true }, 43)]).toEqual([[], [wrong]]);
  });

  it('holds where a function died after it had resumed Launch for an attach, and no longer than its call might be late', () => {
    type Death = {
      readonly hasDied?: boolean;
      readonly operation?: string;
      readonly isSuspended?: boolean;
      readonly names?: readonly string[];
      readonly owned?: string;
    };
    const died = (atS: number, death: Death = {}): readonly string[] =>
      said((script) => {
        const { hasDied = true, operation = 'AttachInstances', isSuspended, names = ['Launch'], owned = 'Launch' } = death;
        const invocation = 'i-attach';
        const called = (second: number, name: string, processes?: readonly string[]): void =>
          script.at(second, {
            ...{ kind: 'called', invocation, function: 'react', service: 'autoscaling', operation: name, askedAtMs: 1_000 * second },
            ...{ outcome: 'ok', applied: true, isMutating: true },
            ...(processes && { processes: { asg: 'web-asg', names: processes } }),
          });
        calls(script, [9, 10], { to: 'Suspend', names }, names);
        script.at(atS - 1, { kind: 'invocation-began', invocation, function: 'react' });
        called(atS, 'ResumeProcesses', ['Launch']);
        script.at(atS, { ...numbers, suspended: names.filter((name) => name !== 'Launch'), by: react(invocation) });
        called(atS + 1, operation);
        if (isSuspended) called(atS + 1.5, 'SuspendProcesses', ['Launch']);
        script.at(atS + 2, {
          ...{ kind: 'invocation-ended', invocation, function: 'react', startedAtMs: 1_000 * (atS - 1), timeoutMs: 30_000 },
          ...{ again: [], injected: true, ...(hasDied && { error: { type: 'Runtime.ExitError', message: 'exited' } }) },
        });
        if (isSuspended) script.desired(atS + 1.8, 2, 1, react(invocation));
        calls(script, [atS + 5, atS + 6], { to: 'Resume', names }, []);
        owner(script, 100, [owned]);
        calls(script, [149, 150], { to: 'Resume', names: [owned] }, []);
      });
    expect(died(80)).toEqual([]);
    // The call that may be late names what was suspended with Launch, and nothing else.
    expect(died(80, { names: ['Launch', 'Terminate'], owned: 'Terminate' })).toEqual([]);
    expect(died(80, { owned: 'Terminate' })).toEqual([wrong.replace('Launch', 'Terminate')]);
    expect(died(43, { names: ['Launch', 'Terminate'], owned: 'Terminate' })).toHaveLength(1);
    expect(died(80, { hasDied: false })).toEqual([wrong]);
    expect(died(80, { operation: 'DetachInstances' })).toEqual([wrong]);
    expect(died(80, { isSuspended: true })).toEqual([wrong]);
    expect([died(47), died(43)]).toEqual([[], [wrong]]);
  });

  it('holds where a look so soon after a resume of Holdfast cannot tell an old describe, and no later', () => {
    const soon = (lookS: number): readonly string[] =>
      said((script) => {
        calls(script, [79, 80], { to: 'Suspend' }, ['Launch']);
        calls(script, [97, 98], { to: 'Resume' }, []);
        owner(script, 100, ['Launch']);
        calls(script, [lookS, lookS + 1], { to: 'Suspend' });
        calls(script, [149, 150], { to: 'Resume' }, []);
      });
    expect(soon(116)).toEqual([]);
    expect(soon(119)).toEqual([wrong]);
  });
});

describe('the replacement of a member whose Auto Scaling group its owner suspends', () => {
  type Ended = {
    readonly requestedS: number;
    readonly resumedS?: number;
    readonly process?: string;
    readonly by?: typeof user | ReturnType<typeof react>;
  };
  /** A member ends at 100 s, after a function resumed a process and another one suspended it. */
  const late = ({ requestedS, resumedS = 90, process = 'Launch', by = user }: Ended): readonly string[] =>
    details(requestedSoon, (script) => {
      script.policy(0, 1, { ...policy, asg: 'web-asg' });
      script.desired(0, 2);
      for (const one of ['i-1', 'i-2']) script.member(one, { asg: 'web-asg' });
      script.at(60, { ...numbers, suspended: [process], by: react('i-59') });
      calls(script, [resumedS - 1, resumedS], { to: 'Resume', names: ['Launch', 'Terminate', 'AZRebalance'] }, []);
      script.at(95, { ...numbers, suspended: [process], by });
      script.end(100, 'i-1');
      script.react(101, 102, 'i-a', [{ about: 'state', instance: 'i-1', state: 'terminated' }]);
      script.launch(requestedS, 'i-3', { by: react('i-b') });
    });

  it('is requested once a describe that shows this cannot be older than a resume of Holdfast, and soon after', () => {
    for (const process of ['Launch', 'Terminate']) {
      expect(late({ requestedS: 118, process })).toEqual([]);
      expect(late({ requestedS: 125, process })).toHaveLength(1);
    }
    expect(late({ requestedS: 118, resumedS: 70 })).toHaveLength(1);
  });

  it('is requested at once where Holdfast suspended it itself', () => {
    expect(late({ requestedS: 118, by: react('i-94') })).toHaveLength(1);
    expect(late({ requestedS: 105, by: react('i-94') })).toEqual([]);
  });
});
