import { describe, expect, it } from 'vitest';
import { refusedAreLeft } from '../../sandbox/judge/rules/launches/asked-anew.ts';
import { details } from './details.ts';
import { react, type Script } from './histories.ts';

type More = { readonly zone?: string; readonly invocation?: string; readonly code?: string; readonly isBesideWhole?: true; readonly token?: string };

/** A call that is asked and answered at these seconds, and is refused an offering. */
type Refusal = More & { readonly asked: number; readonly answered: number };

const found = (...refusals: readonly Refusal[]): readonly string[] => foundAfter(() => undefined, refusals);
const foundAfter = (before: (script: Script) => void, refusals: readonly Refusal[]): readonly string[] =>
  details(refusedAreLeft, (script) => {
    script.policy(0, 1);
    before(script);
    for (const { asked, answered, zone = 'z-a', invocation = 'i-1', code = 'InsufficientInstanceCapacity', ...more } of refusals) {
      script.at(answered, {
        ...{ kind: 'called', invocation, function: 'react', service: 'ec2', operation: 'CreateFleet', askedAtMs: 1_000 * asked },
        ...{ outcome: 'ok', applied: true, isMutating: true, launch: { group: 'web', count: 2, ...(more.token && { token: more.token }) } },
      });
      script.at(answered, { kind: 'refused', invocation, group: 'web', instanceType: 't', zone, market: 'spot', code, ...more });
    }
  });

describe('what EC2 has refused is not requested again at once', () => {
  const first = { asked: 10, answered: 11 };
  it('breaks for a function that requests an offering after EC2 refused it', () => {
    expect(found(first, { asked: 12, answered: 13 })).toEqual([
      'a function requested t/z-a/spot again 1.0 s after EC2 had refused it to this function',
    ]);
  });
  it('holds for a request under way meanwhile, another offering and another function', () => {
    expect(found(first, { asked: 10, answered: 13 })).toEqual([]);
    expect(found(first, { asked: 12, answered: 13, zone: 'z-b' })).toEqual([]);
    expect(found(first, { asked: 12, answered: 13, invocation: 'i-2' })).toEqual([]);
  });
  it('tells two responses of one moment apart by their tokens', () => {
    const underWay = { asked: 10, answered: 13, zone: 'z-b', token: 'r-2' };
    const again = { asked: 12, answered: 13, token: 'r-3' };
    expect(found({ ...first, token: 'r-1' }, underWay, again)).toHaveLength(1);
    expect(found({ ...first, zone: 'z-b', token: 'r-1' }, again, underWay)).toEqual([]);
  });
  it('holds for a request that was throttled before that and made again under its token (24310401)', () => {
    const throttledAt = (second: number, token = 'r-2') =>
      foundAfter(
        (script) =>
          script.at(second + 0.1, {
            ...{ kind: 'called', invocation: 'i-1', function: 'react', service: 'ec2', operation: 'CreateFleet', askedAtMs: 1_000 * second },
            ...{ outcome: 'RequestLimitExceeded', applied: false, isMutating: true, launch: { group: 'web', count: 2, token } },
          }),
        [
          { ...first, token: 'r-1' },
          { asked: 12, answered: 13, token: 'r-2' },
        ],
      );
    expect(throttledAt(10)).toEqual([]);
    expect(throttledAt(11.5)).toHaveLength(1);
    expect(throttledAt(10, 'r-3')).toHaveLength(1);
  });
  it('holds for a request that another function stored, and breaks for one that its own function stored', () => {
    const storedBy = (invocation: string, token: string) =>
      foundAfter(
        (script) => script.at(5, { kind: 'item-written', table: 'state', group: 'web', item: `request#${token}`, bytes: 500, by: react(invocation) }),
        [first, { asked: 12, answered: 13, token: 'r-1' }],
      );
    expect(storedBy('i-2', 'r-1')).toEqual([]);
    expect(storedBy('i-1', 'r-1')).toHaveLength(1);
    expect(storedBy('i-2', 'r-2')).toHaveLength(1);
  });
  it('says nothing of refusals for other reasons, and of those beside a whole grant', () => {
    expect(found({ ...first, code: 'VcpuLimitExceeded' }, { asked: 12, answered: 13 })).toEqual([]);
    expect(found({ ...first, isBesideWhole: true }, { asked: 12, answered: 13 })).toEqual([]);
  });
});
