import type { Draft, Proposal } from './rule.ts';

/** A draft before any rule has proposed anything. */
export const emptyDraft: Draft = {
  lack: 0,
  placements: [],
  unplaced: 0,
  reasons: [],
  rejected: [],
  removals: [],
  drains: [],
  admissions: [],
  raise: [],
  restore: [],
  takeOver: [],
  unnoticed: [],
  cheapest: {},
  remarks: [],
};

const earliest = (times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** A draft with what one more rule proposes. */
export const withProposal = (draft: Draft, proposal: Proposal): Draft => {
  const wakeAtMs = earliest([draft.wakeAtMs, proposal.wakeAtMs]);
  return {
    ...draft,
    ...proposal,
    placements: [...draft.placements, ...(proposal.placements ?? [])],
    reasons: [...draft.reasons, ...(proposal.reasons ?? [])],
    rejected: [...draft.rejected, ...(proposal.rejected ?? [])],
    removals: [...draft.removals, ...(proposal.removals ?? [])],
    drains: [...draft.drains, ...(proposal.drains ?? [])],
    admissions: [...draft.admissions, ...(proposal.admissions ?? [])],
    raise: [...draft.raise, ...(proposal.raise ?? [])],
    restore: [...draft.restore, ...(proposal.restore ?? [])],
    takeOver: [...draft.takeOver, ...(proposal.takeOver ?? [])],
    unnoticed: [...draft.unnoticed, ...(proposal.unnoticed ?? [])],
    remarks: [...draft.remarks, ...(proposal.remarks ?? [])],
    ...(wakeAtMs !== undefined && { wakeAtMs }),
  };
};
