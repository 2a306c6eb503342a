import type { Group } from '../group/group.ts';
import type { Market } from '../pool/offering.ts';

/** A dry run of a launch: one for each launch template, market and subnet. */
export type Trial = {
  readonly launchTemplate: string;
  readonly market: Market;
  readonly subnet: string;
  /** Pools with this launch. The dry run uses the first one. */
  readonly pools: readonly string[];
};

/** A result of a check that a user should know. It rejects nothing. */
export type LaunchCheck = {
  /**
   * `refused`: AWS would refuse the launch. `not-tried`: no clear response, or no time for a dry run.
   * `over-budget`: more launches differ than are tried at once. `no-dry-run`: LaunchInstances cannot be tried.
   */
  readonly code: 'refused' | 'not-tried' | 'over-budget' | 'no-dry-run';
  readonly pools: readonly string[];
  readonly launchTemplate?: string;
  readonly market?: Market;
  readonly subnet?: string;
  readonly awsCode?: string;
  /** The right that is missing, where AWS names it. */
  readonly missing?: { readonly action: string; readonly resource: string };
  /** The whole result as text, for the console. */
  readonly message: string;
};

/** Launches that are tried at once. CreateFleet's bucket holds fifty tokens for the whole account. */
export const mostTrials = 12;

/** A group in force is checked again after this time. */
export const checkEveryMs = 24 * 3_600_000;
/** After a check without a clear response, the next one comes sooner. */
export const checkAgainMs = 3_600_000;

const poolsIn = (group: Group) => Object.values(group.pools);

/** The launches of a group that differ in what AWS may refuse, in the order of its pools. */
export const trialsOf = (group: Group): readonly Trial[] => {
  const found = new Map<string, Trial>();
  for (const { name, asg, launchTemplate, market, subnets } of poolsIn(group)) {
    if (asg !== undefined || launchTemplate === undefined) continue;
    for (const { id: subnet } of subnets) {
      const key = `${launchTemplate} ${market} ${subnet}`;
      const pools = [...(found.get(key)?.pools ?? []), name];
      found.set(key, { launchTemplate, market, subnet, pools });
    }
  }
  return [...found.values()];
};

/** Launches that have no dry run, and launches beyond the number that is tried. */
export const untriedIn = (group: Group): readonly LaunchCheck[] => {
  const through = poolsIn(group).flatMap(({ name, asg }) => (asg === undefined ? [] : [name]));
  const left = trialsOf(group).slice(mostTrials);
  const checks: readonly LaunchCheck[] = [
    {
      code: 'no-dry-run',
      pools: through,
      message: 'LaunchInstances, which launches for these pools, has no dry run.',
    },
    {
      code: 'over-budget',
      pools: [...new Set(left.flatMap(({ pools }) => pools))],
      message: `${left.length} launches were not tried: at most ${mostTrials} are tried at once.`,
    },
  ];
  return checks.filter(({ pools }) => pools.length > 0);
};

/** The action and the resource that a refusal of EC2 names. */
const missingRight = /to perform: ([\w-]+:\w+) on resource: (\S+)/;

const longestMessage = 300;

const launchText = ({ launchTemplate, market, subnet }: Trial): string =>
  `launch template ${launchTemplate} on ${market} in ${subnet}`;

/** The text for a dry run that AWS refused. */
export const refusedCheck = (trial: Trial, awsCode: string, awsMessage: string): LaunchCheck => {
  const [, action, resource] = missingRight.exec(awsMessage) ?? [];
  const missing = action === undefined || resource === undefined ? undefined : { action, resource };
  const why =
    missing === undefined
      ? awsMessage.slice(0, longestMessage)
      : `its role lacks ${missing.action} on ${missing.resource}.`;
  return {
    code: 'refused',
    ...trial,
    awsCode,
    ...(missing && { missing }),
    message: `AWS would refuse ${launchText(trial)} (${awsCode}): ${why}`,
  };
};

/** The text for a dry run without a clear response. */
export const untriedCheck = (trial: Trial, awsCode?: string): LaunchCheck => ({
  code: 'not-tried',
  ...trial,
  ...(awsCode !== undefined && { awsCode }),
  message: `Not tried: ${launchText(trial)} (${awsCode ?? 'no time was left'}). It is tried again within an hour.`,
});
