import { scripted } from '../sim/audit/scripted.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { type HoldingKind, type SettingOptions, settingOf } from '../sim/worlds.ts';

type Policy = Readonly<Record<string, unknown>>;

/** What differs from a situation of six members. `endsAt` is the number of members at its end, where it is judged. */
type More = Partial<Situation> & { readonly size?: number; readonly endsAt?: number };

export const minuteMs = 60_000;

/** Makes a situation that comes to rest within 30 minutes. */
export const made = scripted(30 * minuteMs);

/** A world of one group that is held in this way. The steps know its policy. */
export const ofOneGroup =
  (
    name: string,
    holding: HoldingKind,
    options: SettingOptions,
    steps: (policy: Policy) => readonly Step[],
    { size = 6, endsAt, ...more }: More = {},
  ) =>
  (): Situation => {
    const setting = settingOf(holding, options);
    return made(name, setting, { asked: { web: { size, ...(endsAt !== undefined && { endsAt }) } }, steps: steps(setting.policy), ...more });
  };

/** Target groups of the policy alone, which no Auto Scaling group takes its members out of. */
export const ofPolicyTargets = (make: () => Situation) => (): Situation => {
  const { spec, ...rest } = make();
  return { ...rest, spec: { ...spec, autoScalingGroups: spec.autoScalingGroups.map((asg) => ({ ...asg, targetGroups: [] })) } };
};
