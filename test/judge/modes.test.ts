import { describe, expect, it } from 'vitest';
import { observeChangesNothing, pauseIsIdle } from '../../sandbox/judge/rules/modes.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe, user } from './histories.ts';

/** From second 100 in this mode. An invocation looks afterwards. */
const inMode = (script: Script, mode: string): void => {
  twoServe(script);
  script.policy(100, 2, { ...policy, mode });
  script.react(149, 155, 'later');
};

describe('pause launches and removes nothing', () => {
  const found = (write: (script: Script) => void) =>
    details(pauseIsIdle, (script) => {
      inMode(script, 'pause');
      write(script);
    });
  it('breaks for a launch', () => {
    expect(found((script) => script.launch(150, 'i-9', { by: react('later') }))).toEqual(['i-9 was launched']);
  });
  it('holds for a launch by a function that looked before', () => {
    const before = (script: Script): void => {
      script.react(99, 106, 'before');
      script.launch(105, 'i-9', { by: react('before') });
    };
    expect(found(before)).toEqual([]);
  });
  it('breaks for a member that was taken out of service, and holds for one that EC2 takes', () => {
    expect(found((script) => script.takeOut(150, 'i-1', react('later')))).toEqual(['i-1 was taken out of service']);
    const warned = (script: Script): void => {
      script.warn(120, 'i-1');
      script.takeOut(150, 'i-1', react('later'));
    };
    expect(found(warned)).toEqual([]);
  });
  it('breaks for an end, and holds where the drain had begun', () => {
    expect(found((script) => script.end(150, 'i-1', react('later')))).toContain('i-1 was ended');
    const begun = (script: Script): void => {
      script.react(89, 91, 'before');
      script.takeOut(90, 'i-1', react('before'));
      script.end(150, 'i-1', react('later'));
    };
    expect(found(begun)).toEqual([]);
  });
});

describe('observe changes nothing', () => {
  const found = (write: (script: Script) => void) =>
    details(observeChangesNothing, (script) => {
      inMode(script, 'observe');
      write(script);
    });
  it('breaks for a launch, and for a warned member that was taken out of service', () => {
    const both = (script: Script): void => {
      script.launch(150, 'i-9', { by: react('later') });
      script.warn(120, 'i-1');
      script.takeOut(151, 'i-1', react('later'));
    };
    expect(found(both)).toEqual(['i-9 was launched', 'i-1 was taken out of service']);
  });
  it('breaks for a tag', () => {
    const tags = { team: 'other' };
    const tag = (script: Script, by: ReturnType<typeof react> | typeof user): void => script.at(150, { kind: 'tagged', instance: 'i-1', tags, by });
    expect(found((script) => tag(script, react('later')))).toEqual(['i-1 was tagged']);
    expect(found((script) => tag(script, user))).toEqual([]);
  });
  it('breaks for a call that registers, and holds for one that ends what had begun', () => {
    const call = (operation: string) => (script: Script) =>
      script.at(150, {
        ...{ kind: 'called', invocation: 'later', function: 'react', service: 'elasticloadbalancing', operation, askedAtMs: 149_500 },
        ...{ outcome: 'ok', applied: true, isMutating: true },
      });
    expect(found(call('RegisterTargets'))).toEqual(['elasticloadbalancing:RegisterTargets was called']);
    expect(found(call('DeregisterTargets'))).toEqual([]);
  });
  it('breaks for any call where no group ever acted', () => {
    const never = details(observeChangesNothing, (script) => {
      script.policy(1, 1, { ...policy, mode: 'observe' });
      script.react(149, 155, 'later');
      script.at(150, {
        ...{ kind: 'called', invocation: 'later', function: 'react', service: 'ec2', operation: 'TerminateInstances', askedAtMs: 149_500 },
        ...{ outcome: 'ok', applied: true, isMutating: true },
      });
    });
    expect(never).toEqual(['ec2:TerminateInstances was called']);
  });
});
