import { expect, test } from 'vitest';
import { auditSituations } from './audit/situations.ts';
import { play } from './play.ts';

type Targets = { readonly InstanceId?: string; readonly Targets?: readonly { readonly Id: string }[] };

test('members that their owner protects from termination keep their work, and others leave in their place', async () => {
  const make = auditSituations['termination protection'];
  if (make === undefined) throw new Error('There is no such situation.');
  const guarded: string[] = [];
  const deregistered: string[] = [];
  let kept: readonly unknown[] = [];
  const { violations } = await play(make(), {
    onReady: ({ sandbox }) =>
      sandbox.callLog.observe(({ operation, outcome }, { input }) => {
        const { InstanceId, Targets = [] } = input as Targets;
        if (operation === 'ModifyInstanceAttribute' && InstanceId !== undefined) guarded.push(InstanceId);
        if (operation === 'DeregisterTargets' && outcome === 'ok') deregistered.push(...Targets.map(({ Id }) => Id));
      }),
    onEnd: (_, { swaps }) => {
      kept = swaps.filter(({ keptUntilMs }) => keptUntilMs !== undefined).map(({ instance }) => instance);
    },
  });
  expect(violations).toEqual([]);
  expect(guarded).toHaveLength(2);
  expect(kept.toSorted()).toEqual(guarded.toSorted());
  expect(new Set(deregistered).size).toBe(2);
  expect(deregistered.filter((instance) => guarded.includes(instance))).toEqual([]);
});
