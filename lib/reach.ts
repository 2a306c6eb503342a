import type { Right } from './right.ts';

/**
 * The tag by which users allow a deployment to change their Auto Scaling groups and target groups, when `onlyTagged` is
 * set.
 */
const reachTag = 'holdfast:managed';

/** Which of the users' resources a deployment may change. */
export type Reach = { readonly deployment: string; readonly onlyTagged: boolean };

export const reachConditions = ({ deployment, onlyTagged }: Reach): Pick<Right, 'conditions'> =>
  onlyTagged ? { conditions: { StringEquals: { [`aws:ResourceTag/${reachTag}`]: deployment } } } : {};
