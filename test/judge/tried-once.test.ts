import { describe, expect, it } from 'vitest';
import { deniedOnceEach } from '../../sandbox/judge/rules/drains/tried-once.ts';
import { details } from './details.ts';
import { type Script, twoServe } from './histories.ts';

type Try = { readonly second: number; readonly drain?: string; readonly outcome?: string; readonly instances?: readonly string[] };

/** Steps of drains that try to take members out of service, and what AWS answers. */
const found = (tries: readonly Try[], write: (script: Script) => void = () => {}) =>
  details(deniedOnceEach, (script) => {
    twoServe(script);
    for (const { second, drain = 'd-1', outcome = 'AccessDenied', instances = ['i-1'] } of tries) {
      const of = { invocation: `i-${second}`, function: 'begin-drain' };
      script.at(second, { kind: 'invocation-began', ...of, drain });
      script.at(second + 1, {
        ...{ kind: 'called', ...of, service: 'elasticloadbalancing', operation: 'DeregisterTargets', askedAtMs: 1_000 * second },
        ...{ outcome, applied: false, isMutating: true, takesOut: instances, takesOutOf: 'web' },
      });
    }
    write(script);
  });
const again = ['d-1 tries once more to take i-1 out of web, which AWS has denied'];

describe('what AWS denies is tried once by each drain', () => {
  it('holds for one try of each drain and each member, and breaks for a second one', () => {
    expect(found([{ second: 100 }, { second: 110, drain: 'd-2' }, { second: 120, instances: ['i-2'] }])).toEqual([]);
    expect(found([{ second: 100 }, { second: 110 }])).toEqual(again);
    expect(found([{ second: 100, instances: ['i-1', 'i-2'] }, { second: 110 }])).toEqual(again);
  });
  it('says nothing of what may succeed later, of who EC2 takes, and of a drain of which a function died', () => {
    expect(
      found([
        { second: 100, outcome: 'Throttling' },
        { second: 110, outcome: 'Throttling' },
      ]),
    ).toEqual([]);
    expect(found([{ second: 100 }, { second: 110 }], (script) => script.warn(90, 'i-1'))).toEqual([]);
    expect(found([{ second: 100 }, { second: 110 }], (script) => script.warn(150, 'i-1'))).toEqual(again);
    expect(found([{ second: 100 }, { second: 105, outcome: 'crashed' }, { second: 110 }])).toEqual([]);
  });
});
