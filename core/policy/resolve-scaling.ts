import type { Adjustment, ScalingRule } from '../group/group.ts';
import { parseDurationMs } from '../units/duration.ts';
import { parseSignedPercentage } from '../units/percentage.ts';
import type { Policy } from './schema.ts';

type Row = Policy['scaling'][number];
type Step = NonNullable<Row['steps']>[number];

const adjustmentOf = (adjust: number | string): Adjustment => {
  const percent = typeof adjust === 'string' ? parseSignedPercentage(adjust) : undefined;
  return percent === undefined ? { kind: 'instances', by: Number(adjust) } : { kind: 'percent', by: percent };
};

const stepsOf = (steps: readonly Step[]): Required<Pick<ScalingRule, 'steps'>> => ({
  steps: {
    side: steps.some(({ below }) => below !== undefined) ? 'below' : 'above',
    of: steps.map(({ above = 0, below = above, adjust }) => ({ beyond: below, adjust: adjustmentOf(adjust) })),
  },
});

/** Alarms of an accepted policy. The rules beside its schema ensure that each has an adjustment or steps. */
export const scalingOf = ({ scaling }: Policy): readonly ScalingRule[] =>
  scaling.map(({ alarm, adjust, steps, cooldown }) => {
    const first = adjust ?? steps?.[0]?.adjust;
    const cooldownMs = parseDurationMs(cooldown);
    if (first === undefined || cooldownMs === undefined)
      throw new Error(`Alarm ${alarm} has no adjustment or no cooldown, although its policy was accepted`);
    return { alarm, adjust: adjustmentOf(first), ...(steps && stepsOf(steps)), cooldownMs };
  });
