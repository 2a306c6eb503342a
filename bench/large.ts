import { items } from '../core/contract.ts';
import { type Sandbox, startSandbox } from '../sandbox/door.ts';
import type { InstanceSnapshot } from '../sandbox/world/world.ts';
import { type LargeFigures, largeWorld, type Phase, type Progress, serving, untilServing, watchLarge } from './large-watch.ts';
import { joining, tagged } from './many-fill.ts';
import { type HoldingName, letters, type PlacedGroup, policyOf, refusedZone, zoneOf } from './storm-world.ts';

const lookEveryMs = 2_000;
const noticeMs = 120_000;
/** Long enough that no member is young, and that no wake is due. */
const stillMs = 200_000;
const mostMs = 3_600_000;

/** One group, and what happens to it. `untilWhole`: Holdfast launches all of it from zero. Otherwise the bench adds what is missing after 300 s. */
export type LargeGroup = { readonly members: number; readonly held: HoldingName; readonly seed: number; readonly untilWhole?: Progress };

const until = async ({ clock }: Sandbox, what: string, holds: () => boolean): Promise<void> => {
  const untilMs = clock.now() + mostMs;
  while (!holds()) {
    if (clock.now() > untilMs) throw new Error(`The group cannot be measured: after ${mostMs / 1_000} s ${what} is still not so.`);
    await clock.sleep(lookEveryMs);
  }
};

const still = async ({ world, clock }: Sandbox): Promise<void> => {
  await clock.sleep(stillMs);
  world.restLaunches();
};

const running = ({ world }: Pick<Sandbox, 'world'>): readonly InstanceSnapshot[] =>
  world.snapshot().instances.filter(({ state }) => state === 'running');

/** How long the group is sized from zero, as the bucket of launched instances allows. */
const sizingMs = 300_000;
const perCall = { RunInstances: 500, LaunchInstances: 100 } as const;

/** Launches what a group still misses, as it would be after an hour and a quarter: the bucket allows two a second. */
const fillUp = async ({ cloud, world, clock }: Sandbox, group: PlacedGroup): Promise<void> => {
  const isIntoAsg = group.holding === 'launch-instances';
  const most = isIntoAsg ? perCall.LaunchInstances : perCall.RunInstances;
  for (const letter of letters) {
    const there = running({ world }).filter(({ zone }) => zone === zoneOf(letter)).length;
    for (let missing = Math.ceil(group.size / letters.length) - there; missing > 0; missing -= most) {
      world.restLaunches();
      const count = Math.min(most, missing);
      const [service, operation, input] = isIntoAsg ? joining(group, letter, count, `fill-${letter}-${missing}`) : tagged(group, letter, count);
      await cloud.call({ service, operation, input, caller: { kind: 'operator' } });
      await clock.sleep(1_000);
    }
  }
};

/** Puts the policy, and looks every two seconds until as many serve as it wants, or the time is up. */
const size = async (sandbox: Sandbox, group: PlacedGroup, forMs: number): Promise<number | null> => {
  const { clock, world } = sandbox;
  const arn = world.snapshot().targetGroups[0]?.arn ?? '';
  await sandbox.putPolicy(policyOf(group, arn));
  const beganAtMs = clock.now();
  let servingMs: number | null = null;
  while (clock.now() - beganAtMs < forMs) {
    await clock.sleep(lookEveryMs);
    if (servingMs === null && serving(sandbox) >= group.size) servingMs = clock.now() - beganAtMs;
  }
  return servingMs;
};

/** The same, until all serve. */
const sizeWhole = async (sandbox: Sandbox, group: PlacedGroup, progress: Progress): Promise<number> => {
  const beganAtMs = sandbox.clock.now();
  await size(sandbox, group, 0);
  await untilServing(sandbox, group.size, { progress });
  return sandbox.clock.now() - beganAtMs;
};

/** Brings the group up, has EC2 warn one member, and then takes a zone. */
const play = async (sandbox: Sandbox, group: PlacedGroup, untilWhole?: Progress): Promise<readonly Phase[]> => {
  const { world } = sandbox;
  const watch = watchLarge(sandbox);
  const servingMs = untilWhole ? await sizeWhole(sandbox, group, untilWhole) : await size(sandbox, group, sizingMs);
  const sized = { ...watch.end('from zero', group.size), servingMs };
  await fillUp(sandbox, group);
  await until(sandbox, `a fleet of ${group.size} that serves`, () => serving(sandbox) >= group.size);
  watch.end('filled up', 0);
  await still(sandbox);
  const idle = watch.end('at rest', 0);
  const one = running(sandbox)[0]?.id ?? '';
  world.interrupt([one], { noticeMs });
  await until(sandbox, 'the replacement of one member', () => watch.given() >= 1);
  const warning = watch.end('one warning', 1);
  await until(sandbox, 'its end', () => running(sandbox).every(({ id }) => id !== one));
  await still(sandbox);
  watch.end('between', 0);
  for (const offering of world.snapshot().offerings.filter(({ zone, market }) => zone === refusedZone && market === 'spot'))
    world.setOffering(offering, { capacity: 0 });
  const taken = running(sandbox).filter(({ zone }) => zone === refusedZone);
  const ids = new Set(taken.map(({ id }) => id));
  world.interrupt([...ids], { noticeMs });
  const isOver = (): boolean => running(sandbox).every(({ id }) => !ids.has(id)) && serving(sandbox) >= group.size;
  await until(sandbox, 'the zone replaced', isOver);
  return [sized, idle, warning, watch.end('a lost zone', ids.size)];
};

/** Sizes a large group from zero in virtual time, and does nothing else with it. */
export const sizeLarge = async ({ members, held, seed }: LargeGroup, forMs: number): Promise<Phase> => {
  const group: PlacedGroup = { name: 'large', holding: held, size: members };
  const sandbox = await startSandbox({ mode: 'simulated', spec: largeWorld([group]), seed });
  try {
    return await sandbox.drive(
      (async () => {
        const watch = watchLarge(sandbox);
        const servingMs = await size(sandbox, group, forMs);
        return { ...watch.end('from zero', members), servingMs };
      })(),
    );
  } finally {
    await sandbox.close();
  }
};

/** Plays one large group in virtual time, with the published buckets of calls. */
export const playLarge = async (
  { members, held, seed, untilWhole }: LargeGroup,
  onBuilt: (sandbox: Sandbox) => void = () => {},
): Promise<LargeFigures> => {
  const group: PlacedGroup = { name: 'large', holding: held, size: members };
  const sandbox = await startSandbox({ mode: 'simulated', spec: largeWorld([group]), seed, onBuilt });
  const began = performance.now();
  try {
    const phases = await sandbox.drive(play(sandbox, group, untilWhole));
    return { members, held, zones: letters.length, stateItem: items.state, phases, wallMs: Math.round(performance.now() - began) };
  } finally {
    await sandbox.close();
  }
};
