import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { draining, isHindered, look, ways } from '../../told/hindrance.ts';
import { endless, type HookWait, isFunction, type Life } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** Hooks of one instance are completed side by side. */
const togetherMs = 10_000;

/** When Holdfast completed a hook. */
const completedMs = ({ over }: HookWait): number | undefined => (over?.how === 'completed' && isFunction(over.by) ? over.atMs : undefined);

/** Whether a message about a hook had been delivered. Without one, only a look that asks Auto Scaling finds the hook. */
const wasTold = ({ deliveries }: Life, { hook }: HookWait, byMs: number): boolean =>
  deliveries.some(({ told, atMs }) => told.about === 'hook' && told.hook === hook && atMs < byMs);

/** Hooks that go on waiting, although Holdfast completed another one of the instance. */
const leftIn = (chronicle: Chronicle, life: Life): readonly Broken[] => {
  const firstMs = Math.min(endless, ...life.hooks.map((hook) => completedMs(hook) ?? endless));
  const untilMs = firstMs + togetherMs;
  if (firstMs === endless || untilMs > chronicle.history.endedAtMs || isHindered(chronicle, ways(look, draining), firstMs, untilMs)) return [];
  return life.hooks
    .filter((one) => one.atMs < firstMs && (one.over?.atMs ?? endless) > untilMs && wasTold(life, one, firstMs))
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
    'When Holdfast has completed one of the hooks that hold an instance, it completes the others within ten seconds that held it by then, and about which a function had received a message. The rule does not count while faults meet looks or drains.',
  broken: (chronicle) => chronicle.lives.flatMap((life) => (life.hooks.length > 1 ? leftIn(chronicle, life) : [])),
};
