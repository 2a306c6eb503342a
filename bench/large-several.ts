import type { Sandbox } from '../sandbox/door.ts';
import { startSandbox } from '../sandbox/door.ts';
import { largeWorld, type Phase, type Progress, untilServing, watchLarge } from './large-watch.ts';
import { fill } from './many-fill.ts';
import { type HoldingName, type PlacedGroup, policyOf, refusedZone } from './storm-world.ts';

/**
 * Several large groups of one account, and how they are held. `untilWhole`: the lost zone is played until all of it is replaced, and not only until EC2
 * takes its members.
 */
export type LargeGroups = {
  readonly groups: number;
  readonly members: number;
  readonly held: HoldingName;
  readonly seed: number;
  readonly untilWhole?: Progress;
};

export type SeveralFigures = Omit<LargeGroups, 'untilWhole'> & { readonly phases: readonly Phase[]; readonly wallMs: number };

const noticeMs = 120_000;
/** Long enough for two ticks, of which the second finds groups that the environment knows. */
const stillMs = 130_000;
const lookEveryMs = 2_000;
const mostMs = 600_000;
/** Until EC2 takes all that it warned of. The bucket of launched instances has long been empty by then. */
const lostMs = 120_000;

/** The groups exist before their policies. They rest, then one member is warned, then a zone of all groups is lost. */
const play = async (sandbox: Sandbox, groups: readonly PlacedGroup[], untilWhole?: Progress): Promise<readonly Phase[]> => {
  const { world, clock } = sandbox;
  const watch = watchLarge(sandbox);
  await fill(sandbox, groups);
  for (const group of groups)
    await sandbox.putPolicy(policyOf(group, world.snapshot().targetGroups.find(({ arn }) => arn.includes(`/${group.name}/`))?.arn ?? ''));
  const members = groups.reduce((sum, { size }) => sum + size, 0);
  await untilServing(sandbox, members, { withinMs: mostMs });
  const begun = watch.end('taken over', 0);
  await clock.sleep(stillMs);
  const rested = watch.end('at rest', 0);
  world.restLaunches();
  const running = () => world.snapshot().instances.filter(({ state }) => state === 'running');
  world.interrupt([running()[0]?.id ?? ''], { noticeMs });
  await clock.sleep(lookEveryMs * 5);
  const warned = watch.end('one warning', 1);
  await clock.sleep(stillMs);
  watch.end('between', 0);
  world.restLaunches();
  for (const offering of world.snapshot().offerings.filter(({ zone, market }) => zone === refusedZone && market === 'spot'))
    world.setOffering(offering, { capacity: 0 });
  const taken = running().filter(({ zone }) => zone === refusedZone);
  world.interrupt(
    taken.map(({ id }) => id),
    { noticeMs },
  );
  await clock.sleep(lostMs);
  if (untilWhole) await untilServing(sandbox, members, { progress: untilWhole });
  return [begun, rested, warned, watch.end('a lost zone', taken.length)];
};

/** Plays several large groups of one account in virtual time, with the published buckets of calls. */
export const playSeveral = async (asked: LargeGroups, onBuilt: (sandbox: Sandbox) => void = () => {}): Promise<SeveralFigures> => {
  const { untilWhole, ...figures } = asked;
  const { groups: count, members, held, seed } = figures;
  const groups = Array.from({ length: count }, (_, index): PlacedGroup => ({ name: `large-${index + 1}`, holding: held, size: members }));
  const sandbox = await startSandbox({ mode: 'simulated', spec: largeWorld(groups), seed, onBuilt });
  const began = performance.now();
  try {
    return { ...figures, phases: await sandbox.drive(play(sandbox, groups, untilWhole)), wallMs: Math.round(performance.now() - began) };
  } finally {
    await sandbox.close();
  }
};
