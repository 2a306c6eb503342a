import type { Actor } from './judge/history.ts';

/** Who causes something that happens to the world, and when it was requested by a call. */
export type Act = { readonly by: Actor; readonly askedAtMs?: number };

/** Who acts right now. It holds for what happens within one synchronous piece of work; what follows later must carry its actor along. */
export type Acting = {
  current(): Act;
  as<T>(act: Act, work: () => T): T;
};

/** Where nobody acts, EC2 does. */
const ec2: Act = { by: { kind: 'ec2' } };

export const createActing = (): Acting => {
  let act = ec2;
  return {
    current: () => act,
    as: (next, work) => {
      const before = act;
      act = next;
      try {
        return work();
      } finally {
        act = before;
      }
    },
  };
};
