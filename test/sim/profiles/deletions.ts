import { deleteAsg, recreateAsg } from '../operator-steps.ts';
import type { Step } from '../situation.ts';
import { interrupt, kill, loseZone } from '../steps.ts';
import { zones } from '../worlds.ts';
import { type Profile, seconds } from './profile.ts';
import { worldFrom } from './rare.ts';

/**
 * Each pool is an Auto Scaling group, and the owner deletes one of them with its members, for good or for a while. Only worlds that ask for it have it, so that all
 * other seeds are of the kind that they were of before.
 */
export const deletions: Profile = {
  about: 'a pool is an Auto Scaling group that its owner deletes, for good or for a while',
  weight: 0,
  draw: (draw) =>
    worldFrom(draw, {
      holding: 'launch-instances',
      landscape: { spot: draw.between(6, 8) },
      steps: ({ pools }) => {
        const asgs = Object.values(pools as Readonly<Record<string, { readonly asg: string }>>).map(({ asg }) => asg);
        const [asg, atMs] = [draw.one(asgs), seconds(draw, 2, 60)];
        const gone = draw.chance(0.5) ? deleteAsg(atMs, asg, true) : recreateAsg(atMs, asg, seconds(draw, 5, 300));
        const troubles: readonly (() => Step)[] = [
          () => interrupt(seconds(draw, 1, 150), draw.between(1, 3)),
          () => kill(seconds(draw, 1, 150), draw.between(1, 2)),
          () => loseZone(seconds(draw, 1, 150), draw.one(zones)),
        ];
        return [gone, ...Array.from({ length: draw.between(0, 3) }, () => draw.one(troubles)())];
      },
    }),
};
