import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveReasons } from '../../core/removal/leave-reason.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { View } from '../../core/view/view.ts';
import { createFakeAws, longPause } from '../aws/fake-aws.ts';
import { members } from '../core/members.ts';
import { group, nowMs, onDemandB, spotA, spotB, view } from '../core/views.ts';
import { ownMessage } from '../react/event-samples.ts';
import { instance, policy, stored, worldOf } from '../react/world.ts';
import { createScratch, folders, root } from './scratch.ts';

describe('a reason to leave that is new', () => {
  let scratch: ReturnType<typeof createScratch>;
  beforeAll(() => {
    scratch = createScratch();
  });
  afterAll(() => scratch.remove());

  const table = 'core/removal/leave-reason.ts';

  it('would not be forgotten by a comparison: nothing compares a reason with one of the names', () => {
    const names = Object.keys(leaveReasons).join('|');
    const compares = new RegExp(`\\breason (===|!==) '(${names})'`);
    const files = folders.flatMap((folder) => globSync(join(root, folder, '**/*.ts')));
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => compares.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  const row = [
    '  retired: {',
    "    endedBy: 'holdfast',",
    '    isReplaced: true,',
    '    waitsForSurge: true,',
    '    isAdvice: false,',
    '    isAnnounced: true,',
    '    isMove: false,',
    "    withdrawnWhen: 'never',",
    '  },',
    '  rebalance: {',
  ].join('\n');

  it('needs one row: the compiler names its place, and no other', { timeout: 60_000 }, () => {
    scratch.edit(table, "  | 'rebalance'\n", "  | 'rebalance'\n  | 'retired'\n");
    expect(scratch.filesWithErrors()).toEqual([table]);
    scratch.edit(table, '  rebalance: {', row);
    expect(scratch.filesWithErrors()).toEqual([]);
  });

  it('leaves then: it is claimed, read back, waits for its replacement, and begins', async () => {
    const [{ claimAll }, { leaveReason }, { decide }, { bind }, { kindOf }] = await Promise.all(
      [
        'functions/react/carry-out/claims.ts',
        'aws/state/shapes.ts',
        'core/decide/decide.ts',
        'core/group-state/binding.ts',
        'core/swap/drain-kind.ts',
      ].map(scratch.load),
    );
    const ten = [...members(spotA, 5), ...members(spotB, 5)];
    const { swaps } = (await claimAll([{ instance: 'spot-a#1', reason: 'retired', atMs: nowMs }], [], {
      store: { claim: async () => ({ kind: 'claimed' }) },
      group: 'web',
      nowMs,
      decision: 'd-1',
      drainFor: () => expect.unreachable('no drain is ordered yet'),
      members: new Map(ten.map((member) => [member.instance, member])),
      asgs: new Set(),
      ended: new Set(),
    })) as { readonly swaps: readonly Swap[] };
    expect(swaps).toMatchObject([{ reason: 'retired', state: 'waiting', warnedAtMs: nowMs }]);
    expect(leaveReason('retired')).toBeUndefined();
    expect(leaveReason('retried')).toBeDefined();

    const before: View = view({ members: ten, swaps });
    expect(decide(before)).toMatchObject({ placements: [{ count: 1 }], drains: [] });
    expect(bind(decide(before), before, { decision: 'd-1', round: 0, leaseMs: 35_000 }).fresh).toMatchObject([{ replaces: ['spot-a#1'] }]);
    expect(decide({ ...before, members: [...ten, ...members(onDemandB, 1)] })).toMatchObject({ placements: [], drains: ['spot-a#1'] });
    expect(swaps.map(kindOf)).toEqual(['mend']);
  });
});

describe('a signal that is new', () => {
  let scratch: ReturnType<typeof createScratch>;
  beforeAll(() => {
    scratch = createScratch();
  });
  afterAll(() => scratch.remove());

  const file = 'core/signals/retirement.ts';
  const detailType = 'AWS Health Abuse Event';
  /** EC2 retires an instance. It has to say whose it is, and which facts it adds. */
  const kind = (rest: string): string => `
    import * as z from 'zod/mini';
    import { neverOver, signalKind } from './signal-kind.ts';

    type Retirement = { readonly kind: 'retirement'; readonly instance: string; readonly service: string; readonly atMs: number };

    export const retirement = signalKind({
      kind: 'retirement',
      source: 'aws.health',
      detailType: '${detailType}',
      comes: { by: 'rule', where: { service: ['EC2'] } },
      detail: z.object({ service: z.string(), entity: z.string() }),
      toSignal: ({ service, entity }, atMs): Retirement => ({ kind: 'retirement', instance: entity, service, atMs }),
      isOver: neverOver,
      comesAgain: 'always',
      cause: { service: z.string() },
      causeOf: ({ service }) => ({ service }),
      ${rest}
    });
  `;
  const whole = kind(`
    about: ({ instance }) => ({ instance }),
    adds: ({ instance, atMs }) => ({ leaving: [{ instance, reason: 'interruption', atMs, deadlineMs: atMs + 600_000 }] }),
  `);

  it('needs its file and its line: the compiler names every other place that has to decide', { timeout: 120_000 }, () => {
    scratch.write(file, kind(''));
    scratch.edit(
      'core/signals/signal.ts',
      "import { tick } from './tick.ts';",
      "import { retirement } from './retirement.ts';\nimport { tick } from './tick.ts';",
    );
    scratch.edit('core/signals/signal.ts', '  tick,\n]', '  tick,\n  retirement,\n]');
    expect(scratch.filesWithErrors()).toContain(file);
    scratch.write(file, whole);
    expect(scratch.filesWithErrors()).toEqual(['cli/reason-text.ts', 'test/react/event-samples.ts']);
    scratch.edit('cli/reason-text.ts', "    case 'tick':", "    case 'retirement':\n      return cause.service;\n    case 'tick':");
    scratch.edit(
      'test/react/event-samples.ts',
      "  tick: ownMessage('Holdfast Tick'),",
      `  tick: ownMessage('Holdfast Tick'),\n  retirement: envelope('aws.health', '${detailType}', { service: 'EC2', entity: '${instance}' }),`,
    );
    expect(scratch.filesWithErrors()).toEqual([]);
  });

  it('arrives then: a rule takes it, its member leaves, and the decision names it', { timeout: 60_000 }, async () => {
    const [{ react }, { sampleOf }, { causeText }, { record }, { SignalRules }] = await Promise.all(
      ['functions/react/react.ts', 'test/react/event-samples.ts', 'cli/reason-text.ts', 'aws/state/record-schema.ts', 'lib/signal-rules.ts'].map(
        scratch.load,
      ),
    );
    const stack = new Stack(new App(), 'Signals');
    const queue = new Queue(stack, 'Queue');
    const drainWorkflow = StateMachine.fromStateMachineArn(stack, 'Drains', 'arn:aws:states:us-east-2:123456789012:stateMachine:drain');
    new SignalRules(stack, 'Rules', { name: 'holdfast', signals: { queue, deadLetters: queue }, drainWorkflow });
    Template.fromStack(stack).hasResourceProperties('AWS::Events::Rule', {
      Name: 'holdfast-retirement',
      EventPattern: { source: ['aws.health'], 'detail-type': [detailType], detail: { service: ['EC2'] } },
    });

    const { world, ports } = worldOf({ putState: async () => 'done' });
    const body = JSON.stringify({ ...sampleOf.retirement, time: new Date(nowMs).toISOString() });
    expect(await react([{ id: 'm-1', body, sentAtMs: nowMs }], ports, String)).toEqual({ again: [] });
    expect(world).toMatchObject({ launched: 1, told: [{ detail: { instances: [instance] } }], started: [expect.any(String)] });
    const [decided] = world.decided;
    expect(decided?.causes).toEqual([{ code: 'retirement', service: 'EC2' }]);
    expect(record.parse(decided).causes.map(causeText)).toEqual(['EC2']);
  });
});

describe('a selector that is new', () => {
  let scratch: ReturnType<typeof createScratch>;
  beforeAll(() => {
    scratch = createScratch();
  });
  afterAll(() => scratch.remove());

  const file = 'core/selector/last.ts';
  const whole = `
    import * as z from 'zod/mini';
    import { map } from '../policy/field.ts';
    import type { CapacityNode } from './selector.ts';
    import type { SelectorKind } from './selector-kind.ts';
    import { tiered } from './tiered.ts';
    import { candidatesOf } from './tree.ts';
    import { listedChildren, noProblems, type WrittenKind } from './written-kind.ts';

    export type WrittenLast = { readonly last: readonly CapacityNode[] };

    export const last: SelectorKind = { ...tiered, movesFor: 'nothing', choose: (branch) => candidatesOf(branch).at(-1) };

    export const writtenLast: WrittenKind<WrittenLast> = {
      schema: (of) => map({ last: of.list('The last one first.') }, 'a map with last').check(z.describe('The last eligible child.')),
      holdsSelectors: true,
      countsMembers: false,
      childrenOf: listedChildren,
      problems: noProblems,
      resolve: ({ last: children }, of) => ({ kind: 'last', children: children.map(of.child) }),
    };
  `;

  it('needs its file and its lines: the compiler names the list of kinds, and what reads stored trees', { timeout: 120_000 }, () => {
    scratch.write(file, whole);
    scratch.edit(
      'core/selector/selector.ts',
      "  | { readonly kind: 'cheapest';",
      "  | { readonly kind: 'last'; readonly children: readonly Selector[] }\n  | { readonly kind: 'cheapest';",
    );
    scratch.edit('core/selector/selector.ts', 'WrittenWeighted | WrittenCheapest;', 'WrittenWeighted | WrittenCheapest | WrittenLast;');
    scratch.edit(
      'core/selector/selector.ts',
      'import type { WrittenSpread }',
      "import type { WrittenLast } from './last.ts';\nimport type { WrittenSpread }",
    );
    expect(scratch.filesWithErrors()).toEqual(['aws/state/group-schema.ts', 'core/selector/kinds.ts']);
    scratch.edit(
      'aws/state/group-schema.ts',
      "  cheapest: objectOf({ kind: oneOf('cheapest')",
      "  last: objectOf({ kind: oneOf('last'), children: listOf(below) }),\n  cheapest: objectOf({ kind: oneOf('cheapest')",
    );
    scratch.edit('core/selector/kinds.ts', '  cheapest,\n', '  cheapest,\n  last,\n');
    scratch.edit('core/selector/kinds.ts', '  cheapest: writtenCheapest,\n', '  cheapest: writtenCheapest,\n  last: writtenLast,\n');
    scratch.edit('core/selector/kinds.ts', 'import type { Selector }', "import { last, writtenLast } from './last.ts';\nimport type { Selector }");
    expect(scratch.filesWithErrors()).toEqual([]);
  });

  it('is accepted then, described in the JSON Schema, and places', async () => {
    const [{ decide }, { unusedPools, capacityProblems }, { selectorOf }, { capacitySchema }, z] = await Promise.all([
      ...['core/decide/decide.ts', 'core/policy/capacity-rules.ts', 'core/policy/resolve-capacity.ts', 'core/policy/capacity-schema.ts'].map(
        scratch.load,
      ),
      import('zod/mini'),
    ]);
    const written = { last: ['spot-a', 'od-b'] };
    expect(capacitySchema.parse(written)).toEqual(written);
    expect(() => capacitySchema.parse({ last: [] })).toThrow(/at least one pool name or selector/);
    expect(JSON.stringify(z.toJSONSchema(capacitySchema))).toContain('The last eligible child.');
    expect(capacityProblems({ capacity: { last: ['spot-a', 'spot-a'] }, pools: { 'spot-a': {} } })).toMatchObject([
      { path: 'capacity.last[1]', allowed: 'each pool once in a last selector' },
    ]);
    expect(unusedPools({ capacity: { last: ['a'] }, pools: { a: {}, b: {} } })).toMatchObject([{ path: 'pools.b' }]);
    const grown = group({ capacity: selectorOf(written, []) });
    expect(decide(view({ group: grown, members: members(spotA, 9) }))).toMatchObject({ placements: [{ pool: 'od-b', count: 1 }] });
  });
});

describe('a holding that is new', () => {
  let scratch: ReturnType<typeof createScratch>;
  beforeAll(() => {
    scratch = createScratch();
  });
  afterAll(() => scratch.remove());

  it('would not be forgotten by a comparison: only its table compares kinds', () => {
    const compares = /holding\)?\??\.kind/;
    const files = folders.flatMap((folder) => globSync(join(root, folder, '**/*.ts')));
    expect(files.filter((file) => compares.test(readFileSync(file, 'utf8')))).toEqual([join(root, 'core/group/holding.ts')]);
  });

  it('needs its traits and its schema: the compiler names both', { timeout: 120_000 }, () => {
    scratch.edit(
      'core/group/group.ts',
      "  | { readonly kind: 'launch-instances' };",
      "  | { readonly kind: 'launch-instances' }\n  | { readonly kind: 'beside' };",
    );
    expect(scratch.filesWithErrors()).toEqual(['aws/state/group-schema.ts', 'core/group/holding.ts']);
    scratch.edit(
      'aws/state/group-schema.ts',
      "  tag: objectOf({ kind: oneOf('tag') }),",
      "  tag: objectOf({ kind: oneOf('tag') }),\n  beside: objectOf({ kind: oneOf('beside') }),",
    );
    scratch.edit(
      'core/group/holding.ts',
      "    case 'launch-instances':",
      "    case 'beside':\n      return { ...tag, launchesBy: 'autoScaling' };\n    case 'launch-instances':",
    );
    expect(scratch.filesWithErrors()).toEqual([]);
  });

  it('launches then what is missing, out of the bucket that it names', async () => {
    const [{ react }, { bucketOf }] = await Promise.all(['functions/react/react.ts', 'functions/react/turns/turns.ts'].map(scratch.load));
    const { world, ports } = worldOf({ putState: async () => 'done', inForce: () => ({ ...policy, holding: { kind: 'beside' } as never }) });
    const body = JSON.stringify({ ...ownMessage('Holdfast Tick', 'web'), time: new Date(nowMs).toISOString() });
    await react(
      [{ id: 'm-1', body, sentAtMs: nowMs }],
      { ...ports, store: { ...ports.store, stateAndSwaps: async () => ({ state: { ...stored, desired: 7 }, swaps: [] }) } },
      String,
    );
    expect(bucketOf({ holding: { kind: 'beside' } })).toBe('autoScaling');
    expect(world.launched).toBe(1);
  });
});

describe('a drain target that is new', () => {
  let scratch: ReturnType<typeof createScratch>;
  beforeAll(() => {
    scratch = createScratch();
  });
  afterAll(() => scratch.remove());

  /** An ECS agent that runs tasks on members until they are told to leave. */
  const file = 'aws/draining/container-instances.ts';
  const target = `
    import type { DrainTarget } from '../../core/ports/drain-target.ts';
    import type { MovesMembers } from './draining.ts';

    const leaving = new Set<string>();
    export const tasks = new Set<string>();

    export const containerInstances: MovesMembers = () => ({
      release: async (_group, swaps) => {
        for (const { instance } of swaps) leaving.add(instance);
        return { done: swaps.map(({ instance }) => instance), failed: [] };
      },
      putBack: async (_group, instances) => {
        for (const instance of instances) leaving.delete(instance);
        return { done: instances, failed: [] };
      },
    });

    export const standingsInClusters = (): DrainTarget['standings'] => async (_group, swaps) =>
      new Map(swaps.map(({ instance }) => [instance, { isHeld: tasks.has(instance), delayMs: leaving.has(instance) ? 60_000 : 90_000 }]));
  `;

  it('needs its file, its row and its line in two lists: the compiler names all three places', { timeout: 120_000 }, () => {
    scratch.write(file, target);
    scratch.edit('core/drain/targets.ts', "'load-balancers' | 'auto-scaling'", "'load-balancers' | 'container-instances' | 'auto-scaling'");
    expect(scratch.filesWithErrors()).toEqual(['aws/draining/draining.ts', 'aws/draining/inspect-drain.ts', 'core/drain/targets.ts']);
    scratch.edit(
      'core/drain/targets.ts',
      "  'auto-scaling': {",
      [
        "  'container-instances': {",
        "    ask: 'clusters',",
        "    bucket: 'targets',",
        '    releaseCalls: (group) => (group.name.length > 0 ? 7 : 0),',
        '    isPaidByLook: false,',
        "    waitsFor: 'start-slack',",
        '  },',
        "  'auto-scaling': {",
      ].join('\n'),
    );
    for (const [place, made] of [
      ['draining', 'containerInstances'],
      ['inspect-drain', 'standingsInClusters'],
    ] as const) {
      const line = `  'container-instances': ${made},\n  'auto-scaling':`;
      scratch.edit(`aws/draining/${place}.ts`, "  'auto-scaling':", line);
      scratch.edit(
        `aws/draining/${place}.ts`,
        "from './load-balancers.ts';",
        `from './load-balancers.ts';\nimport { ${made} } from './container-instances.ts';`,
      );
    }
    expect(scratch.filesWithErrors()).toEqual([]);
  });

  it('is drained then: members leave it, it holds the drain back, and it asks for a turn of its own', async () => {
    const [{ createDraining }, { createInspectDrain }, { tasks }, { releasesAtMs }] = await Promise.all(
      ['aws/draining/draining.ts', 'aws/draining/inspect-drain.ts', file, 'functions/begin-drain/turn.ts'].map(scratch.load),
    );
    const aws = createFakeAws({ DescribeInstances: { Reservations: [{ Instances: [{ InstanceId: 'i-1', State: { Name: 'running' } }] }] } });
    const deps = { ...aws, deployment: 'prod', now: () => nowMs, sleep: longPause, note: () => undefined, missed: () => undefined };
    const leaving = [{ instance: 'i-1', group: 'web', reason: 'interruption', state: 'claimed', drain: 'd-1' }] as unknown as readonly Swap[];
    const alone = group();
    tasks.add('i-1');

    const inspect = createInspectDrain(deps);
    expect(await inspect(alone, leaving)).toMatchObject([{ drained: false, deregistrationDelayMs: 90_000 }]);
    expect(await createDraining(deps).release(alone, leaving)).toMatchObject({ done: ['i-1'], failed: [] });
    expect(await inspect(alone, leaving)).toMatchObject([{ drained: false, deregistrationDelayMs: 60_000 }]);
    tasks.delete('i-1');
    expect(await inspect(alone, leaving)).toMatchObject([{ drained: true }]);
    expect(await createDraining(deps).putBack(alone, ['i-1'])).toMatchObject({ done: ['i-1'] });

    const asked: string[] = [];
    const store = {
      budget: async () => ({ version: 0, levels: {}, underWay: [], waiting: [], given: {}, refused: {}, granted: {}, asked: {} }),
      putBudget: async (budget: { readonly given: object }) => {
        asked.push(...Object.keys(budget.given));
        return 'done';
      },
    };
    await releasesAtMs({ store, clock: { now: () => nowMs }, pacer: undefined }, alone, leaving, false);
    expect(asked).toContain('d-1 clusters');
  });
});
