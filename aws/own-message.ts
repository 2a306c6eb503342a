import { eventSource, type ownMessages } from '../functions/contract.ts';

/** A message from Holdfast to itself about a group, in the envelope of an EventBridge event. */
export const ownMessage = (
  detailType: (typeof ownMessages)[keyof typeof ownMessages],
  group: string,
  nowMs: number,
  more: Readonly<Record<string, unknown>> = {},
): string =>
  JSON.stringify({
    version: '0',
    id: `${group}-${nowMs}`,
    'detail-type': detailType,
    source: eventSource,
    time: new Date(nowMs).toISOString(),
    resources: [],
    detail: { group, ...more },
  });
