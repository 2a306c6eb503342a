import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { draining, isHindered, look, ways } from '../../told/hindrance.ts';
import { endless, type HookWait, isFunction, type Life } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** Hooks of one instance are completed side by side. */
const togetherMs = 10_000;

/** A hook without a message is found by the next tick, which comes each minute and takes some seconds. */
const foundMs = 75_000;

/** When Holdfast completed a hook. */
const completedMs = ({ over }: HookWait): number | undefined => (over?.how === 'completed' && isFunction(over.by) ? over.atMs : undefined);

/** Whether a message about a hook had been delivered. Without one, only a look that asks Auto Scaling finds the hook. */
const wasTold = ({ deliveries }: Life, { hook }: HookWait, byMs: number): boolean =>
  deliveries.some(({ told, atMs }) => told.about === 'hook' && told.hook === hook && atMs < byMs);

/** Whether a group that acts had the instance all the time. */
const acts = (chronicle: Chronicle, life: Life, fromMs: number, untilMs: number): boolean => {
  const group = chronicle.groupAt(life, fromMs);
  return group !== undefined && chronicle.policiesIn(group, fromMs, untilMs).every(({ mode }) => mode === 'act');
};

/** Hooks that go on waiting, although Holdfast completed another one of the instance. */
const leftIn = (chronicle: Chronicle, life: Life): readonly Broken[] => {
  const firstMs = Math.min(endless, ...life.hooks.map((hook) => completedMs(hook) ?? endless));
  if (firstMs === endless) return [];
  return life.hooks.flatMap((one): readonly Broken[] => {
    const { asg, hook, atMs, over } = one;
    const isTold = wasTold(life, one, firstMs);
    const withinMs = isTold ? togetherMs : foundMs;
    const untilMs = firstMs + withinMs;
    if (atMs >= firstMs || (over?.atMs ?? endless) <= untilMs || untilMs > chronicle.history.endedAtMs) return [];
    if (isHindered(chronicle, ways(look, draining), firstMs, untilMs)) return [];
    if (!isTold && !acts(chronicle, life, firstMs, untilMs)) return [];
    const detail = `${hook} of ${life.instance} still waits ${withinMs / 1_000} s after another hook was completed`;
    return [{ instance: life.instance, asg, atMs: untilMs, detail }];
  });
};

export const hooksEndTogether: Rule = {
  name: 'hooks of one instance are completed together',
  meaning:
    'When Holdfast has completed one of the hooks that hold an instance, it completes the others within ten seconds that held it by then, and about which a function had received a message. The others it completes within 75 seconds, because the next tick finds them, if the group acts. The rule does not count while faults meet looks or drains.',
  broken: (chronicle) => chronicle.lives.flatMap((life) => (life.hooks.length > 1 ? leftIn(chronicle, life) : [])),
};
