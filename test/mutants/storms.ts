import type { Mutant } from './mutant.ts';

const caughtBy = ['forty groups lose a zone'] as const;

/** Breakages of how the groups of one account share its request buckets. */
export const storms: readonly Mutant[] = [
  {
    name: 'launches take no turns',
    file: 'core/account-budget.ts',
    from: "if (isHere && drawsOn(one).every((name) => left[name] >= (name === 'instances' ? instances : calls))) {",
    to: 'if (isHere && (drawsOn(one).every((name) => left[name] >= calls) || instances >= 0)) {',
    caughtBy,
  },
  {
    name: 'a group whose turn comes later is not woken for it',
    file: 'functions/react/take-turn.ts',
    from: '...earlier(decision.wakeAtMs, turnAtMs),',
    to: '...earlier(decision.wakeAtMs, turnAtMs === undefined ? turnAtMs : undefined),',
    caughtBy,
  },
  {
    name: 'each group of a batch is read by itself',
    file: 'functions/react/react.ts',
    from: '...(look && { look })',
    to: '...(look && { unused: look })',
    caughtBy,
  },
  {
    name: 'four groups of a batch are converged at once',
    file: 'functions/react/react.ts',
    from: 'const groupsAtOnce = 100;',
    to: 'const groupsAtOnce = 4;',
    caughtBy,
  },
];
