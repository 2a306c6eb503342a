import type { Actor } from './judge/history.ts';

/** The actor that causes an event in the world, and when a call requested it. */
export type Act = { readonly by: Actor; readonly askedAtMs?: number };

/** The present actor. It applies to one synchronous piece of work. Work that runs later must pass its actor on. */
export type Acting = {
  current(): Act;
  as<T>(act: Act, work: () => T): T;
};

/** Without another actor, EC2 acts. */
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
