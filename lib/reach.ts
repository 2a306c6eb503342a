import type { Right } from './right.ts';

/**
 * Tag by which users put their Auto Scaling groups and target groups into a deployment's reach, when `onlyTagged` asks
 * for it.
 */
const reachTag = 'holdfast:managed';

/** How far a deployment reaches into what users own. */
export type Reach = { readonly deployment: string; readonly onlyTagged: boolean };

export const reachConditions = ({ deployment, onlyTagged }: Reach): Pick<Right, 'conditions'> =>
  onlyTagged ? { conditions: { StringEquals: { [`aws:ResourceTag/${reachTag}`]: deployment } } } : {};
