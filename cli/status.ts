import type { Status } from '../aws/state/status-item.ts';
import type { UnfitAsg } from '../core/group/unfit.ts';
import { nearestName } from '../core/policy/problem.ts';
import type { StateStore } from '../core/ports/state-store.ts';
import { toldGone } from '../core/view/gone-asgs.ts';
import { timeText } from './time.ts';
import { unfitTexts } from './unfit-text.ts';

const listed = (title: string, messages: readonly string[]): readonly string[] =>
  messages.length === 0 ? [] : ['', title, ...messages.map((message) => `  ${message}`)];

/** A time in a status item, which its reader cannot be sure about: somebody may have edited the item. */
const isoText = (iso: string): string => (Number.isNaN(Date.parse(iso)) ? iso : timeText(Date.parse(iso)));

const notTriedText =
  'Its launches have not been tried with a dry run yet. This follows within a minute, but only in mode act.';

const checksText = ({ checks, checkedAt }: Status): readonly string[] => {
  if (checks === undefined || checkedAt === undefined) return ['', notTriedText];
  const when = `Launches were tried at ${isoText(checkedAt)}`;
  if (checks.length === 0) return ['', `${when}: AWS would carry out all of them.`];
  return listed(
    `${when}:`,
    checks.map(({ message, pools }) => `${message} Pools: ${pools.join(', ')}.`),
  );
};

/** Each day, everything that the policy names is looked up again. */
const refusedText = ({ refusedNow = [], lookedUpAt = '', version }: Status): readonly string[] =>
  listed(
    `Version ${version} stays in force, but it would be rejected if it were written now ` +
      `(last check: ${isoText(lookedUpAt)}):`,
    refusedNow.map(({ message }) => message),
  );

/** The message holds the first reasons and warnings, for those who read the item alone. Here all of them follow it. */
const headline = ({ message, problems, warnings }: Status): string =>
  [...problems, ...warnings]
    .reduce((text, listedBelow) => text.replace(` ${listedBelow.message}`, () => ''), message)
    .replace(/ \d+ more: see (problems|warnings)\./, '');

/** A size that others set, beyond the maximum of the policy, and how many members Holdfast keeps. */
type Beyond = { readonly set: number; readonly kept: number };

const beyondText = ({ set, kept }: Beyond): readonly string[] => [
  '',
  `The last look found that others set the size to ${set}. The maximum of the policy (size.max) is ${kept}. ` +
    `Holdfast launches only while fewer than ${kept} members stay. The Auto Scaling group launches the others.`,
];

/** What the last look found, and the policy does not say. */
export type Found = {
  readonly beyondMax?: Beyond;
  readonly goneAsgs?: readonly string[];
  readonly unfit?: readonly UnfitAsg[];
};

/** As the last look found it. */
export const foundIn = async (group: string, store: Pick<StateStore, 'state'>): Promise<Found> => {
  const { beyondMax, desired = 0, goneAsgs, unfit } = (await store.state(group)) ?? {};
  const gone = toldGone(goneAsgs);
  return {
    ...(beyondMax !== undefined && { beyondMax: { set: beyondMax, kept: desired } }),
    ...(gone.length > 0 && { goneAsgs: gone }),
    ...(unfit !== undefined && unfit.length > 0 && { unfit }),
  };
};

const goneText = (asgs: readonly string[]): readonly string[] => [
  '',
  `There is no Auto Scaling group ${asgs.join(', ')}, so no member can be there. ` +
    'Create one of that name, name another one in the policy, or delete the policy.',
];

/** The status in plain text. Checks are those of the version in force. */
export const statusText = (status: Status, { beyondMax: beyond, goneAsgs, unfit = [] }: Found = {}): string =>
  [
    `${status.group}: ${headline(status)}`,
    ...listed(
      'Reasons:',
      status.problems.map(({ message }) => message),
    ),
    ...listed(
      'Warnings:',
      status.warnings.map(({ message }) => message),
    ),
    ...(goneAsgs === undefined ? [] : goneText(goneAsgs)),
    ...(beyond === undefined ? [] : beyondText(beyond)),
    ...listed(
      'Found by the last look:',
      unfitTexts(unfit).map((text) => `${text}.`),
    ),
    ...(status.version === undefined ? [] : [...refusedText(status), ...checksText(status)]),
  ].join('\n');

const meant = (nearest: string | undefined): string => (nearest === undefined ? '' : ` Did you mean ${nearest}?`);

/** Groups that a text names. A deployment may have hundreds. */
const namedAtMost = 20;

const groupsText = (groups: readonly string[]): string => {
  if (groups.length === 0) return 'This deployment has no groups.';
  const more = groups.length - namedAtMost;
  return `Groups: ${groups.slice(0, namedAtMost).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`;
};

/** @param groups all groups of the deployment whose policies were accepted */
export const noPolicyText = (group: string, groups: readonly string[]): string =>
  `No policy was ever written for ${group}.${meant(nearestName(group, groups))} ${groupsText(groups)}`;

/** Why a group has no decisions. */
export const noDecisionText = (group: string, status: Status | undefined, groups: readonly string[]): string =>
  status === undefined
    ? noPolicyText(group, groups)
    : `No decision is stored for ${group}. Its policy: ${status.message} ` +
      'A group without changes has no decisions, and decisions are kept for 14 days.';
