import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { CreateFleetCommand, EC2Client } from '@aws-sdk/client-ec2';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, expect, test } from 'vitest';
import { ApiError } from '../../../sandbox/api.ts';
import type { Cloud } from '../../../sandbox/cloud.ts';
import { createFaults } from '../../../sandbox/faults.ts';
import { type ServedCloud, type ServeOptions, serveHttp } from '../../../sandbox/serve-http.ts';
import { cloudOf, recordingService, type Seen } from './stand-in.ts';

let served: ServedCloud | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

const serve = async (cloud: Cloud, options: Partial<ServeOptions> = {}) => {
  served = await serveHttp({ cloud, port: 0, ...options });
  return {
    endpoint: served.url,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'react', secretAccessKey: 'x', sessionToken: 'environment-1' },
    maxAttempts: 1,
  };
};

test('real clients over real HTTP: queries, JSON, typed errors, the caller by its key', async () => {
  const seen: Seen[] = [];
  const fleet = { FleetId: 'fleet-1', Instances: [{ InstanceIds: ['i-1'] }], Errors: [] };
  const cloud = cloudOf([
    recordingService('ec2', { CreateFleet: fleet }, seen),
    recordingService('autoscaling', { DescribeAutoScalingGroups: new ApiError('ValidationError', 'too many names: 51 > 50 ü') }),
    recordingService('sqs', { SendMessage: new ApiError('QueueDoesNotExist', 'gone') }),
  ]);
  cloud.registerCaller('react', 'react');
  const config = await serve(cloud);
  const spec = { LaunchTemplateSpecification: { LaunchTemplateName: 'web', Version: '1' } };
  const request = new CreateFleetCommand({ LaunchTemplateConfigs: [spec], TargetCapacitySpecification: { TotalTargetCapacity: 1 }, Type: 'instant' });
  expect(await new EC2Client(config).send(request)).toMatchObject(fleet);
  expect(seen[0]?.input).toMatchObject({ LaunchTemplateConfigs: [spec], ClientToken: expect.any(String) });
  await expect(new AutoScalingClient(config).send(new DescribeAutoScalingGroupsCommand({}))).rejects.toMatchObject({
    name: 'ValidationError',
    message: 'too many names: 51 > 50 ü',
  });
  const send = new SQSClient(config).send(new SendMessageCommand({ QueueUrl: `${config.endpoint}/123456789012/signals`, MessageBody: '{}' }));
  await expect(send).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
  expect(cloud.log.calls({ caller: 'react' })).toHaveLength(3);
  expect(cloud.log.counts()).toEqual({ 'autoscaling:DescribeAutoScalingGroups': 1, 'ec2:CreateFleet': 1, 'sqs:SendMessage': 1 });
  expect(cloud.log.mutatingCalls()).toBe(2);
});

test('a lost response closes the connection', async () => {
  const faults = createFaults({ random: () => 0, clock: { now: () => 0 } });
  faults.add({ on: 'call', kind: 'lose-answer' });
  const config = await serve(cloudOf([recordingService('autoscaling', { DescribeAutoScalingGroups: { AutoScalingGroups: [] } })], { faults }));
  await expect(new AutoScalingClient(config).send(new DescribeAutoScalingGroupsCommand({}))).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('the control door has its own path, and its failures are responses', async () => {
  const control: ServeOptions['control'] = (request, response) => {
    if (request.url === '/_sandbox/broken') throw new Error('it broke');
    response.end(`seen ${request.url}`);
  };
  const { endpoint } = await serve(cloudOf([]), { control });
  expect(await (await fetch(`${endpoint}/_sandbox/state`)).text()).toBe('seen /_sandbox/state');
  const broken = await fetch(`${endpoint}/_sandbox/broken`);
  expect([broken.status, await broken.json()]).toEqual([500, { error: 'it broke' }]);
});

test('without a control door its address is not found', async () => {
  const { endpoint } = await serve(cloudOf([]));
  expect((await fetch(`${endpoint}/_sandbox/state`)).status).toBe(404);
});

test('a taken port is an error', async () => {
  await serve(cloudOf([]));
  await expect(serveHttp({ cloud: cloudOf([]), port: served?.port ?? 0 })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
