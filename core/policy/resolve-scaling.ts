import type { Adjustment, ScalingRule } from '../group/group.ts';
import { parseSignedPercentage } from '../units/percentage.ts';
import { accepted, durationMs } from './accepted.ts';
import type { Policy } from './schema.ts';

type Row = Policy['scaling'][number];
type Step = NonNullable<Row['steps']>[number];

const adjustmentOf = (adjust: number | string): Adjustment => {
  const percent = parseSignedPercentage(String(adjust));
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
  scaling.map(({ alarm, adjust, steps, cooldown }) => ({
    alarm,
    adjust: adjustmentOf(accepted(adjust ?? steps?.[0]?.adjust, alarm)),
    ...(steps && stepsOf(steps)),
    cooldownMs: durationMs(cooldown),
  }));
