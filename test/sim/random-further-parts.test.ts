import { expect, it } from 'vitest';
import { randomSituation } from './random-situation.ts';

const drawn = Array.from({ length: 400 }, (_, index) => randomSituation(18_800_001 + index));
type World = (typeof drawn)[number];
const has =
  (text: string) =>
  ({ steps }: World): boolean =>
    steps.some(({ what }) => what.includes(text));
const failsFor =
  (caller: string) =>
  ({ faults = [] }: World): boolean =>
    faults.some((fault) => fault.on === 'call' && [fault.match?.caller].flat().includes(caller));

it.each([
  ['a step of a drain that fails for longer than it is retried', failsFor('begin-drain')],
  ['a look that finds nothing readable while times of a schedule pass', failsFor('react')],
  ['an instance that is taken before a describe shows it', has('youngest spot instances in 120 s')],
  ['a size that shrinks while a member is long unhealthy', has('the size becomes its minimum')],
  ['a full subnet beside others of its zone', ({ spec }: World) => spec.subnets.some(({ id }) => id.endsWith('9'))],
  ['limits of what is paid in part', ({ policies }: World) => JSON.stringify(policies).includes('priceFactor')],
])('some worlds have %s, and few do', (_, isOne) => {
  const found = drawn.filter(isOne).length;
  expect(found).toBeGreaterThan(0);
  expect(found).toBeLessThan(80);
});
