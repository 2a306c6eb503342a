import type { Member } from '../view/view.ts';
import type { Group, Holding } from './group.ts';

/** The properties of a holding that the rest of Holdfast uses. */
export type HoldingTraits = {
  /** Whether members live in Auto Scaling groups, and leave through them. */
  readonly isInAsgs: boolean;
  /** The Auto Scaling group that running members are attached to, where there is one. */
  readonly joins?: string;
  /** The API that launches. Each API has a token bucket of its own in the account. */
  readonly launchesBy: 'createFleet' | 'autoScaling';
  /** Auto Scaling groups that the policy in force names, each once. */
  namedAsgs(pools: Group['pools']): readonly string[];
  /** Whether a member is where the policy in force would not hold one. */
  isMisplaced(member: Pick<Member, 'asg' | 'isOutside'>): boolean;
};

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
  isMisplaced: ({ isOutside }) => isOutside === true,
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
