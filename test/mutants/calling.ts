import type { Mutant } from './mutant.ts';

/** Faults in how functions are called and called again, sort what AWS answers, and say what they did. */
export const calling: readonly Mutant[] = [
  {
    name: 'a signal counts as late after six seconds',
    file: 'functions/react/react.ts',
    from: 'beganAtMs - sentAtMs > signalsLateMs)',
    to: 'beganAtMs - sentAtMs > signalsLateMs / 10)',
    caughtBy: ['alarm while the state cannot be read'],
  },
  {
    name: 'claims of a group that was let go are not announced',
    file: 'functions/react/let-go/let-go.ts',
    from: 'await announceStarted({ group, id, ports }, claimed.fresh);',
    to: 'await announceStarted({ group, id, ports }, []);',
    caughtBy: ['members are warned while there is no policy'],
  },
  {
    name: 'a policy change that failed is not delivered again',
    file: 'functions/accept-policy/accept-batch.ts',
    from: 'if (failure !== undefined) batchItemFailures.push(failure);',
    to: 'if (failure === undefined) batchItemFailures.length = 0;',
    caughtBy: ['a policy changes twice while the event bus takes nothing'],
  },
  {
    name: 'a partial grant teaches nothing',
    file: 'aws/providers/launch-result.ts',
    from: 'const isRefused = short || !gave.has(offeringKey(offering));',
    to: 'const isRefused = !gave.has(offeringKey(offering));',
    caughtBy: ['a group grows, and its first choice has one instance left'],
  },
  {
    name: 'drains use their own clock',
    file: 'functions/runtime/drain/drain-function.ts',
    from: '{ ...surroundings, now: clock.now }',
    to: '{ ...surroundings }',
    caughtBy: ['the clocks of drains jump while members are warned'],
  },
  {
    name: 'react uses its own clock',
    file: 'functions/react/handler.ts',
    from: '{ ...surroundings, now: clock.now }',
    to: '{ ...surroundings }',
    caughtBy: ['the clock of a function jumps while members are warned'],
  },
];
