import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { draining, isHindered, look, ways } from '../../told/hindrance.ts';
import { endless, type HookWait, isFunction, type Life } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** Hooks of one instance are completed side by side. */
const togetherMs = 10_000;

/** When Holdfast completed a hook. */
const completedMs = ({ over }: HookWait): number | undefined => (over?.how === 'completed' && isFunction(over.by) ? over.atMs : undefined);

/** Hooks that go on waiting, although Holdfast completed another one of the instance. */
const leftIn = (chronicle: Chronicle, life: Life): readonly Broken[] => {
  const firstMs = Math.min(endless, ...life.hooks.map((hook) => completedMs(hook) ?? endless));
  const untilMs = firstMs + togetherMs;
  if (firstMs === endless || untilMs > chronicle.history.endedAtMs || isHindered(chronicle, ways(look, draining), firstMs, untilMs)) return [];
  return life.hooks
    .filter(({ atMs, over }) => atMs < firstMs && (over?.atMs ?? endless) > untilMs)
    .map(({ asg, hook }) => ({
      instance: life.instance,
      asg,
      atMs: untilMs,
      detail: `${hook} of ${life.instance} still waits ${togetherMs / 1_000} s after another hook was completed`,
    }));
};

export const hooksEndTogether: Rule = {
  name: 'hooks of one instance are completed together',
  meaning:
    'When Holdfast has completed one of the hooks that hold an instance, it completes the others that held it by then within ten seconds. The rule does not count while faults meet looks or drains.',
  broken: (chronicle) => chronicle.lives.flatMap((life) => (life.hooks.length > 1 ? leftIn(chronicle, life) : [])),
};
