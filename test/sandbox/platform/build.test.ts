import { join } from 'node:path';
import { expect, it } from 'vitest';
import { build } from '../../../sandbox/platform/build.ts';
import { simulatedMachinery } from '../../../sandbox/platform/machinery.ts';
import { readAssembly } from '../../../sandbox/platform/template/assembly.ts';
import type { Template } from '../../../sandbox/platform/template/intrinsics.ts';
import type { WorldSpec } from '../../../sandbox/world/spec.ts';

const spec: WorldSpec = {
  zones: ['eu-west-1a'],
  subnets: [],
  offerings: [],
  launchTemplates: [],
  autoScalingGroups: [],
  targetGroups: [],
  timing: { pendingSeconds: [1, 1], bootSeconds: [1, 1], lagSeconds: [0, 0], asgPeriodSeconds: 10, latencyMs: {} },
};
const place = { accountId: '123456789012', region: 'eu-west-1' };
const unanswered = () => new Promise<never>(() => undefined);
const cloud = { handleHttp: unanswered, handleValues: unanswered };

const machineArn = 'arn:aws:states:eu-west-1:123456789012:stateMachine:finishing';

const buildWith = async (change: (template: Template) => Template) => {
  const assembly = readAssembly(join(import.meta.dirname, 'fixtures', 'assembly'));
  const machinery = simulatedMachinery({ region: place.region, cloud, startMs: 0, seed: 1 });
  const built = await build({ assembly: { ...assembly, template: change(assembly.template) }, machinery, spec, place, seed: 1 });
  return { ...built, run: machinery.run };
};

const without = (role: string) => (template: Template) => {
  const resource = template.Resources[role];
  return {
    ...template,
    Resources: { ...template.Resources, [role]: { ...resource, Properties: { ...resource?.Properties, Policies: [] } } },
  } as Template;
};

it('a stack is refused when a function may not read what it is mapped to', async () => {
  await expect(buildWith(without('IntakeRole'))).rejects.toThrow(
    'Event source mapping IntakeMapping cannot work: role intake-role does not allow sqs:ReceiveMessage',
  );
});

it('a stack is refused when a rule may not deliver to its target', async () => {
  const closed = ({ Resources: { OrdersPolicy: _, ...Resources }, ...template }: Template) => ({ ...template, Resources });
  await expect(buildWith(closed)).rejects.toThrow('Rule orders may not deliver to arn:aws:sqs:eu-west-1:123456789012:orders');
});

it('a state machine fails when its role may not invoke the function', async () => {
  const { platform, run } = await buildWith(without('MachineRole'));
  platform.machines.start(machineArn, '{"id":"x"}');
  await run({ untilMs: 30_000 });
  expect(platform.machines.executions()[0]).toMatchObject({ status: 'FAILED', error: expect.stringMatching(/^Lambda\.AccessDenied/) });
});
