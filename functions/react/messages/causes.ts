import type { Cause } from '../../../core/decision/decision-record.ts';
import { type Signal, type SignalCause, signalKindOf } from '../../../core/signals/signal.ts';

/** How many instances one cause names. A storm has thousands, and the swaps name them all. */
const namedAtMost = 50;
/** Ends without a warning have no swap: `explain` finds them in the cause alone. No batch has more. */
const endsNamedAtMost = 1_000;

type Growing = { readonly cause: Cause; readonly instances: Set<string> };

const causeOf = (signal: Signal): Cause => {
  const kind = signalKindOf(signal);
  return { code: kind.kind, ...kind.causeOf(signal) } as SignalCause;
};

/** A key that is equal for signals of one cause. They differ only in the instance. */
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
          ? {
              ...cause,
              instances: [...instances].slice(0, cause.code === 'state-change' ? endsNamedAtMost : namedAtMost),
              count: instances.size,
            }
          : cause,
      ),
  };
};
