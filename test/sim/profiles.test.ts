import { describe, expect, it } from 'vitest';
import { rename } from './edit-steps.ts';
import { play } from './play.ts';
import { profileNames, profileOf, profileWith } from './profiles/list.ts';
import { randomSituation } from './random-situation.ts';
import { fewest } from './shrink.ts';
import { stepKinds } from './step-kind.ts';
import { replayOf } from './task.ts';

const seeds = Array.from({ length: 300 }, (_, index) => index + 1);
/** Worlds that cost seconds are played by the simulation itself. */
const cheap = profileNames.filter((name) => !['large', 'huge', 'long'].includes(name));
const played = 11;

describe('the kinds of worlds', () => {
  it('are all drawn by seeds alone, except for the worlds of minutes, the busy ones and the deletions', () => {
    expect(new Set(seeds.map(profileOf))).toEqual(new Set(profileNames.filter((name) => !['huge', 'busy', 'deletions'].includes(name))));
  });

  it.each(profileNames)('%s: the same seed draws the same world', (profile) => {
    const text = () => JSON.stringify(randomSituation(played, { profile }));
    expect(text()).toBe(text());
  });

  it.each(profileNames)('%s: no step and no fault reaches past the calm', (profile) => {
    for (const seed of seeds) {
      const { steps, faults = [], calmAtMs, spec, policies, asked } = randomSituation(seed, { profile });
      expect(Math.max(...steps.map(({ atMs, lastsMs = 0 }) => atMs + lastsMs), ...faults.map(({ untilMs = 0 }) => untilMs))).toBeLessThan(calmAtMs);
      expect(policies.map(({ group }) => group)).toEqual(Object.keys(asked));
      expect(spec.autoScalingGroups.every(({ min, desired, max }) => min <= desired && desired <= max)).toBe(true);
    }
  });

  it.each(cheap)('%s: a world plays to its end, however it is judged, and its steps say what they did', async (profile) => {
    const deeds: string[] = [];
    const situation = randomSituation(played, { profile });
    await play(situation, { onEnd: (stage) => deeds.push(...stage.deeds.map(({ kind }) => kind)) });
    expect(deeds).toEqual(expect.arrayContaining(situation.steps.map(({ kind }) => kind)));
  });

  it('draw every kind of step that random worlds have', () => {
    const drawn = new Set(
      profileNames.flatMap((profile) => seeds.flatMap((seed) => randomSituation(seed, { profile }).steps.map(({ kind }) => kind))),
    );
    const later = ['restarted', 'standby-left', 'hook-removed', 'stray-launched'];
    const byHand = ['policy-edited', 'asg-created', 'asg-deleted', 'fault-arranged', 'garbage-sent', 'policy-deleted'];
    const missing = stepKinds.filter((kind) => !drawn.has(kind) && !later.includes(kind));
    expect(missing.filter((kind) => !byHand.includes(kind))).toEqual([]);
  });
});

it('worlds of others who set sizes have maxima that bind, if that is requested, and else what their seed has', () => {
  const few = seeds.slice(0, 60).map((seed) => {
    const [asIs, tight] = [randomSituation(seed, { profile: 'outside' }), randomSituation(seed, { profile: 'outside', always: 'tight-maxima' })];
    const room = ({ spec }: typeof asIs) => spec.autoScalingGroups.filter(({ name }) => name === 'web-asg').map(({ max, desired }) => max - desired);
    expect(tight.steps.map(({ what }) => what)).toEqual(asIs.steps.map(({ what }) => what));
    return { before: room(asIs), now: room(tight) };
  });
  expect(few.filter(({ before }) => before[0] === 1)).toEqual([]);
  // A world of one moment of an attach is drawn by another hand, and has no such maximum.
  expect(few.filter(({ now }) => now[0] === 1).length).toBeGreaterThan(20);
});

describe('one kind of world that is drawn more often', () => {
  const many = Array.from({ length: 3_000 }, (_, index) => index + 1);
  const oftenOutside = (seed: number) => profileWith(seed, { profile: 'outside', percent: 33 });

  it('is so many percent of all worlds, and those that are of it anyway', () => {
    const outside = many.filter((seed) => oftenOutside(seed) === 'outside').length;
    expect(outside / many.length).toBeGreaterThan(0.32);
    expect(outside / many.length).toBeLessThan(0.38);
  });

  it('leaves every other world as its seed draws it', () => {
    for (const seed of many) expect([profileOf(seed), 'outside']).toContain(oftenOutside(seed));
    expect(many.every((seed) => profileWith(seed, { profile: 'outside', percent: 0 }) === profileOf(seed))).toBe(true);
  });
});

describe('a world of which a part is played', () => {
  it('keeps the steps and faults with these numbers, and the rest of the world', () => {
    const whole = randomSituation(7, { profile: 'faulty' });
    const part = randomSituation(7, { profile: 'faulty', keep: [2], faults: [0] });
    expect(part.steps.map(({ what }) => what)).toEqual([whole.steps[1]?.what].filter((what) => what !== undefined));
    expect(part.faults).toEqual([]);
    expect(part.spec).toEqual(whole.spec);
  });

  it('is named by one line', () => {
    expect(replayOf({ kind: 'seed', seed: 7, profile: 'edits', keep: [1, 3], faults: [] })).toBe(
      'npm run sim -- --seeds 1 --from 7 --profile edits --keep 1,3 --faults 0 --trace',
    );
  });
});

describe('the shrinker', () => {
  it('leaves what breaks only together, and nothing else', async () => {
    const tried: string[] = [];
    const breaks = async (left: readonly number[]): Promise<boolean> => {
      tried.push(left.join());
      return left.includes(3) && left.includes(8);
    };
    expect(await fewest([1, 2, 3, 4, 5, 6, 7, 8, 9], breaks)).toEqual([3, 8]);
    expect(tried.length).toBeLessThan(40);
  });

  it('leaves nothing where nothing is needed', async () => {
    expect(await fewest([1, 2, 3], async () => true)).toEqual([]);
  });
});

it('a rename lasts until its second write, so no world comes to rest before that', () => {
  const { atMs, lastsMs = 0 } = rename(5_000, { group: 'web' }, 'renamed', 60_000);
  expect(atMs + lastsMs).toBe(65_000);
});
