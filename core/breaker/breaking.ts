import type { View } from '../view/view.ts';
import type { BreakerRules } from './breaker.ts';

/** The breakers of a group, with its policy's rule for them. */
export const breakingIn = ({ group, state }: Pick<View, 'group' | 'state'>): BreakerRules => ({
  breakers: state.breakers,
  rule: group.breaker,
});
