/** Everything that a script can do to a world, by who or what does it. */
export const stepKinds = [
  // EC2 and its capacity.
  'zone-lost',
  'capacity-changed',
  'price-changed',
  'subnet-filled',
  'interrupted',
  'restarted',
  'rebalance-advised',
  'retirement-scheduled',
  'warning-repeated',
  'warned-in-vain',
  'old-event-replayed',
  // Instances by themselves.
  'died',
  'boot-broken',
  'serving-broken',
  // CloudWatch.
  'alarmed',
  // The user writes the policy.
  'size-edited',
  'tags-edited',
  'tree-edited',
  'pools-edited',
  'asg-edited',
  'holding-edited',
  'swap-edited',
  'shares-edited',
  'mode-edited',
  'policy-edited',
  'policy-broken',
  'policy-deleted',
  'policy-written-again',
  'group-renamed',
  // The user acts by hand.
  'ended-by-user',
  'ended-through-asg',
  'replaced-through-asg',
  'desired-raised',
  'desired-lowered',
  'size-set-outside',
  'bound-moved',
  'process-suspended',
  'asg-setting-changed',
  'template-edited',
  'tagged',
  'tag-removed',
  'drains-stopped',
  'standby-entered',
  'standby-left',
  'detached',
  'attached',
  'state-restored',
  'protected',
  'hook-put',
  'hook-removed',
  'asg-created',
  'asg-deleted',
  'stray-launched',
  // The situation arranges something about the run itself.
  'fault-arranged',
  'garbage-sent',
] as const;

export type StepKind = (typeof stepKinds)[number];

/** What a step did, and to whom. Times are world time in epoch milliseconds. */
export type Deed = {
  readonly kind: StepKind;
  readonly atMs: number;
  readonly instances: readonly string[];
  readonly groups: readonly string[];
  readonly asgs: readonly string[];
  /** Of a state table that is restored: when the copy was made. Absent: it is emptied. */
  readonly copiedAtMs?: number;
};
