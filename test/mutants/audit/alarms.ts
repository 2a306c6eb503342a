import type { PutBack } from '../mutant.ts';

/** Faults in how long alarms last, put back into the code. */
export const alarms: readonly PutBack[] = [
  {
    name: 'real account 5: a lasting overload gets one step',
    file: 'core/scaling/lasting-alarms.ts',
    from: 'latest !== undefined && isDue(latest, asking) ? latest : undefined',
    to: 'latest !== undefined && isDue(latest, asking) && nowMs < 0 ? latest : undefined',
    situation: 'an overload lasts',
  },
  {
    name: 'the end of an alarm is not heard: it acts until the bound',
    file: 'core/signals/alarm.ts',
    from: "isOn: state === 'ALARM'",
    to: 'isOn: true',
    situation: 'an overload lasts',
  },
  {
    name: 'peers 3: a suppressed alarm scales',
    file: 'core/signals/alarm.ts',
    from: "actionsSuppressedBy ? 'suppressed' : muted",
    to: 'actionsSuppressedBy ? muted : muted',
    situation: 'an alarm is suppressed',
  },
  {
    name: 'an alarm that lasts acts with every look, whatever its cooldown',
    file: 'core/scaling/lasting-alarms.ts',
    from: 'Math.max(againAfterMs, cooldownMs)',
    to: '0 * Math.max(againAfterMs, cooldownMs)',
    situation: 'an overload lasts',
  },
  {
    name: 'a restored state item is believed: what an alarm said then still holds',
    file: 'functions/react/look/restored-states.ts',
    from: 'if (writesOf(state) >= writes) return whole;',
    to: 'if (writesOf(state) >= 0 * writes) return whole;',
    situation: 'the state is restored from a time at which an alarm lasted',
  },
  {
    name: 'a state item that is restored from a time without a policy sets the size anew',
    file: 'core/group-state/restored.ts',
    from: 'isLetGo(state) ? unknownSize : state.policySize',
    to: 'isLetGo(state) ? state.policySize : state.policySize',
    situation: 'the state is restored from a time without a policy',
  },
];
