import { movePrice, noCapacity } from '../sim/capacity-steps.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { interrupt, loseZone, putPolicy } from '../sim/steps.ts';
import { type HoldingKind, type SettingOptions, settingOf, zones } from '../sim/worlds.ts';
import { minuteMs, ofOneGroup } from './one-group.ts';

type Options = { readonly holding: HoldingKind; readonly endsAt?: number } & SettingOptions;

const of = (name: string, { holding, endsAt = 6, ...options }: Options, steps: readonly Step[]) =>
  ofOneGroup(name, holding, options, () => steps, {
    endsAt,
    calmAtMs: Math.max(...steps.map(({ atMs, lastsMs = 0 }) => atMs + lastsMs)) + 10 * minuteMs,
    restWithinMs: 10 * minuteMs,
  });

const spare = (count: number, more: object = {}) => ({ policy: { spare: count, ...more } });
const stated = { onDemandPrices: { 'm7g.large': 0.08 } };
const soon = { return: { after: '1m', every: '1m', atMost: 3 } };

/** The world begins at midnight UTC. Clocks in this time zone are five and a half hours ahead. */
const closed = { window: '00:00-02:00', timezone: 'Asia/Kolkata' };

/** Worlds in which a group keeps members above its size, or in which prices or windows decide. */
export const spareSituations = {
  'a member is lost, and spot gives no more': of('a member is lost, and spot gives no more', { holding: 'tag', ...spare(1) }, [
    noCapacity(1_000, 200_000, ['spot'], zones),
    interrupt(2_000, 1),
  ]),
  'a zone is lost to a group with two spares': of('a zone is lost to a group with two spares', { holding: 'launch-instances', ...spare(2, soon) }, [
    loseZone(1_000, zones[0] ?? ''),
    noCapacity(1_500, 200_000, ['spot'], zones),
  ]),
  'spot comes back for no more than the size': of('spot comes back for no more than the size', { holding: 'tag', spot: 2, ...spare(1, soon) }, [
    noCapacity(1_000, 60_000, ['spot'], zones),
    interrupt(2_000, 2),
  ]),
  'spot comes back outside the window for returns': of(
    'spot comes back outside the window for returns',
    { holding: 'tag', policy: { return: { ...soon.return, ...closed } } },
    [noCapacity(1_000, 60_000, ['spot'], zones), interrupt(2_000, 2)],
  ),
  'a spare above the maximum of its owner': of('a spare above the maximum of its owner', { holding: 'attach', max: 6, ...spare(1) }, [
    interrupt(1_000, 1),
  ]),
  'a group with a spare becomes smaller': of('a group with a spare becomes smaller', { holding: 'tag', ...spare(1), endsAt: 4 }, [
    putPolicy(1_000, { ...settingOf('tag', { size: 6, ...spare(1) }).policy, size: 4 }, 'the policy asks for 4', 'size-edited'),
  ]),
  'spot becomes dearer than its share of on-demand': of(
    'spot becomes dearer than its share of on-demand',
    { holding: 'tag', policy: { ...stated, defaults: { launchTemplate: 'web', instanceTypes: ['m7g.large'], maxPrice: '50% of on-demand' } } },
    [movePrice(1_000, 'm7g.large', [zones[0] ?? ''], 2), movePrice(1_000, 'm7g.large', [zones[1] ?? ''], 2), interrupt(660_000, 2)],
  ),
} as const satisfies Readonly<Record<string, () => Situation>>;
