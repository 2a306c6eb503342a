import { eventSource, type ownMessages } from '../../core/contract.ts';

/** Groups that one message names: as many as one invocation reads together. */
export const groupsPerMessage = 50;

/** A message from Holdfast to itself about groups, in the envelope of an EventBridge event. */
export const ownMessage = (
  detailType: (typeof ownMessages)[keyof typeof ownMessages],
  groups: readonly string[],
  nowMs: number,
  more: Readonly<Record<string, unknown>> = {},
): string =>
  JSON.stringify({
    version: '0',
    id: `${groups[0]}-${nowMs}`,
    'detail-type': detailType,
    source: eventSource,
    time: new Date(nowMs).toISOString(),
    resources: [],
    detail: { ...(groups.length === 1 ? { group: groups[0] } : { groups }), ...more },
  });
