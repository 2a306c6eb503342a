import type { Chronicle } from '../chronicle.ts';
import type { Finding, Rule } from '../finding.ts';
import { isMap, mapsOf, textOf, textsOf } from '../read-json.ts';
import { remarksSaid } from '../said-remarks.ts';

type Broken = Omit<Finding, 'rule'>;

/** Since when an Auto Scaling group has had each of its settings. */
const settingsOf = (chronicle: Chronicle, asg: string, atMs: number): ReadonlyMap<string, number> => {
  const changes = chronicle.cloud.asgChanges(asg).filter((change) => change.atMs <= atMs);
  const last = changes.at(-1);
  const on = last?.isGone === true ? [] : (last?.unfit ?? []);
  return new Map(
    on.map((setting) => {
      const lastOff = changes.findLastIndex(({ unfit = [] }) => !unfit.includes(setting));
      return [setting, changes[lastOff + 1]?.atMs ?? atMs];
    }),
  );
};

/** Whether a decision after that moment remarks the setting. */
const isRemarked = (chronicle: Chronicle, group: string, setting: string, sinceMs: number): boolean =>
  remarksSaid(chronicle.history).some(
    (said) =>
      said.group === group &&
      said.lookedMs >= sinceMs - chronicle.times.clockMs &&
      said.remarks.some(({ code, data }) => code === 'asg-unfit' && mapsOf(data.asgs).some(({ found }) => textsOf(found).includes(setting))),
  );

const wrongIn = (chronicle: Chronicle, group: string, state: unknown): readonly Broken[] => {
  const { restAtMs, endedAtMs: atMs } = chronicle.history;
  const policy = chronicle.policyAt(group, atMs);
  if (!isMap(state) || restAtMs === undefined || policy?.asg === undefined || !policy.isSizedOutside) return [];
  const settings = settingsOf(chronicle, policy.asg, atMs);
  const said = mapsOf(state.unfit).flatMap(({ asg, found }) => (textOf(asg) === policy.asg ? textsOf(found) : []));
  const wrong = [...new Set([...settings.keys(), ...said])].filter((one) => settings.has(one) !== said.includes(one));
  const unheard = [...settings].filter(([setting, sinceMs]) => !isRemarked(chronicle, group, setting, sinceMs));
  return [
    ...wrong.map((one) => `at rest, ${policy.asg} has ${one} ${settings.has(one) ? 'on' : 'off'}, and the state of ${group} says the opposite`),
    ...unheard.map(([one]) => `no decision of ${group} remarks that ${policy.asg} has ${one}`),
  ].map((detail) => ({ group, atMs, detail }));
};

export const unfitIsSaid: Rule = {
  name: 'a setting that acceptance refuses is said',
  meaning:
    'While a policy is in force whose size others set, a look says that its Auto Scaling group has Capacity Rebalancing or a warm pool, with which the policy would be refused. At rest, the state of the group names exactly these settings, and since each was turned on, a stored decision remarks it. `holdfast status` shows what the state says.',
  broken: (chronicle) => Object.entries(chronicle.history.stored.states).flatMap(([group, state]) => wrongIn(chronicle, group, state)),
};
