import type { Mutant } from './mutant.ts';

/** What Holdfast says: events, statuses, decisions. */
export const said: readonly Mutant[] = [
  {
    name: 'refusals are stored under another code',
    file: 'functions/react/record/record.ts',
    from: 'const inBrief = ({ offering, code }: Refusal) => ({ offering, code });',
    to: 'const inBrief = ({ offering, code }: Refusal) => ({ offering, code: code.slice(1) });',
    caughtBy: ['refusal'],
  },
  {
    name: 'the status names the version before',
    file: 'functions/accept-policy/accept-policy.ts',
    from: '    version: version.version,\n    problems: [],',
    to: '    version: version.version - 1,\n    problems: [],',
    caughtBy: ['policy change'],
  },
  {
    name: 'the status of a rejected policy is not written',
    file: 'functions/accept-policy/accept-policy.ts',
    from: 'await ports.store.putStatus(inForce === undefined ? status : { ...status, version: inForce });',
    to: 'if (inForce === undefined) await ports.store.putStatus(status);',
    caughtBy: ['policy becomes invalid, then a loss'],
  },
  {
    name: 'a swap is sent with another reason',
    file: 'functions/react/record/announce.ts',
    from: 'detail: { group, reason, instances, decision: id },',
    to: "detail: { group, reason: 'scale-in', instances, decision: id },",
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'the end of a drain is sent without shortfalls',
    file: 'functions/end-drain/tell-end.ts',
    from: 'shortfalls: byText(fallenOf(part)),',
    to: 'shortfalls: byText(fallenOf(part.slice(999))),',
    caughtBy: ['connections outlast the notice'],
  },
  {
    name: 'the end of a drain is sent with the counts exchanged',
    file: 'functions/end-drain/tell-end.ts',
    from: 'drained: swaps.length,\n    gone: gone.length,',
    to: 'drained: gone.length,\n    gone: swaps.length,',
    caughtBy: ['interruption, own group'],
  },
  {
    name: 'a decision says that an interrupted offering was advised against',
    file: 'core/selector/standing.ts',
    from: '? { code: warning.kind, offering: key, untilMs: warning.coolingUntilMs }',
    to: "? { code: warning.kind === 'interrupted' ? 'advised' : warning.kind, offering: key, untilMs: warning.coolingUntilMs }",
    caughtBy: ['interruption, own group'],
  },
];
