import type { Cause } from '../../core/decision-record.ts';
import type { Signal } from '../../core/signal.ts';

/** How many instances one cause names. A storm has thousands, and the swaps name them all. */
const namedAtMost = 50;

type Growing = { readonly cause: Cause; readonly instances: Set<string> };

const causeOf = (signal: Signal): Cause => {
  switch (signal.kind) {
    case 'interruption':
    case 'rebalance':
    case 'terminate-hook':
      return { code: signal.kind, instances: [], count: 0 };
    case 'state-change':
      return { code: signal.kind, state: signal.state, instances: [], count: 0 };
    case 'launch-unsuccessful':
      return { code: signal.kind, asg: signal.asg, awsCode: signal.code };
    case 'alarm':
      return {
        code: signal.kind,
        alarm: signal.alarm,
        atMs: signal.atMs,
        ...(signal.state !== 'ALARM' && { state: signal.state }),
      };
    case 'drain-stopped':
      return { code: signal.kind, drain: signal.drain };
    case 'policy-change':
    case 'tick':
      return { code: signal.kind };
  }
};

/** What two signals of one cause have in common: everything but the instance. */
const keyOf = (cause: Cause): string => JSON.stringify(cause);

/** Collects the signals of one group as causes: one for each kind, with its instances. */
export const createCauses = () => {
  const growing = new Map<string, Growing>();
  return {
    add: (signal: Signal): void => {
      const cause = causeOf(signal);
      const one = growing.get(keyOf(cause)) ?? { cause, instances: new Set<string>() };
      growing.set(keyOf(cause), one);
      if ('instance' in signal) one.instances.add(signal.instance);
    },
    all: (): readonly Cause[] =>
      [...growing.values()].map(({ cause, instances }) =>
        'instances' in cause
          ? { ...cause, instances: [...instances].slice(0, namedAtMost), count: instances.size }
          : cause,
      ),
  };
};
