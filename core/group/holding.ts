import type { Member } from '../view/view.ts';
import type { Group, Holding } from './group.ts';

/** What the rest of Holdfast asks about how the members of a group are held. */
export type HoldingTraits = {
  /** Whether members live in Auto Scaling groups, and leave through them. */
  readonly isInAsgs: boolean;
  /** The Auto Scaling group that running members are attached to, where there is one. */
  readonly joins?: string;
  /** Whose launches they are, and which of the account's buckets they draw on. */
  readonly launchesBy: 'createFleet' | 'autoScaling';
  /** Auto Scaling groups that the policy in force names, each once. */
  namedAsgs(pools: Group['pools']): readonly string[];
  /** Whether a member lives where the policy in force would not hold one. */
  isMisplaced(member: Pick<Member, 'asg' | 'launchedAtMs'>, nowMs: number): boolean;
};

/** A member in no Auto Scaling group counts as such only after describes have had time to show it in its own. */
const shownAfterMs = 300_000;

const tag: HoldingTraits = {
  isInAsgs: false,
  launchesBy: 'createFleet',
  namedAsgs: () => [],
  isMisplaced: ({ asg }) => asg !== undefined,
};

const attach = (joins: string): HoldingTraits => ({
  isInAsgs: true,
  joins,
  launchesBy: 'createFleet',
  namedAsgs: () => [joins],
  isMisplaced: ({ asg }) => asg !== undefined && asg !== joins,
});

const launchInstances: HoldingTraits = {
  isInAsgs: true,
  launchesBy: 'autoScaling',
  namedAsgs: (pools) => [...new Set(Object.values(pools).flatMap(({ asg }) => asg ?? []))],
  isMisplaced: ({ asg, launchedAtMs }, nowMs) => asg === undefined && nowMs - launchedAtMs >= shownAfterMs,
};

/** The traits of a holding. Nothing else compares its kind. */
export const howHeld = ({ holding }: { readonly holding: Holding }): HoldingTraits => {
  switch (holding.kind) {
    case 'tag':
      return tag;
    case 'attach':
      return attach(holding.asg);
    case 'launch-instances':
      return launchInstances;
  }
};
