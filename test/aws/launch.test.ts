import { describe, expect, test } from 'vitest';
import { fleetInput } from '../../aws/providers/create-fleet.ts';
import { partsOf } from '../../aws/providers/launch-into-asg.ts';
import { offeringKey } from '../../core/pool/offering.ts';
import type { Pool } from '../../core/pool/pool.ts';
import { group, groupOfAsgs, nowMs, offering, reservation } from './builders.ts';
import { failsWith } from './fake-aws.ts';
import { launchNow, providerOver } from './provider.ts';

const m7a = offering('m7g.large', 'z-a');
const m6a = offering('m6g.large', 'z-a');
const m7b = offering('m7g.large', 'z-b');
const od = offering('m7g.large', 'z-a', 'on-demand');

const given = (type: string, subnet: string, ids: string[]) => ({ InstanceType: type, SubnetId: subnet, InstanceIds: ids });
const complaint = (code: string, InstanceType: string, SubnetId: string) => ({
  ErrorCode: code,
  ErrorMessage: `${code}!`,
  LaunchTemplateAndOverrides: { Overrides: { InstanceType, SubnetId } },
});

const launchTag = async (answer: object, placement = reservation('spot-a', 2, [m7a, m6a, m7b])) => {
  const { provider } = providerOver({ kind: 'tag' }, { CreateFleet: answer });
  const [result] = await launchNow(provider, group(), [placement]);
  return result;
};

describe('a fleet request', () => {
  const request = (pool: Partial<Pool>, offerings = [m7a, m6a, m7b], token = 't') => {
    const full = { ...group().pools['spot-a'], ...pool } as Pool;
    return fleetInput('prod', group(), full, reservation('spot-a', 2, offerings, { token }));
  };

  test('requests once, under its token, everything that the placement may take', () => {
    expect(request({})).toEqual({
      Type: 'instant',
      ClientToken: 't',
      LaunchTemplateConfigs: [
        {
          LaunchTemplateSpecification: { LaunchTemplateName: 'web', Version: '$Default' },
          Overrides: [
            { InstanceType: 'm7g.large', SubnetId: 'subnet-a', Priority: 0 },
            { InstanceType: 'm6g.large', SubnetId: 'subnet-a', Priority: 1 },
            { InstanceType: 'm7g.large', SubnetId: 'subnet-b', Priority: 0 },
          ],
        },
      ],
      TargetCapacitySpecification: { TotalTargetCapacity: 2, DefaultTargetCapacityType: 'spot' },
      SpotOptions: { AllocationStrategy: 'capacity-optimized-prioritized' },
      TagSpecifications: [
        {
          ResourceType: 'instance',
          Tags: [
            { Key: 'Name', Value: 'workers' },
            { Key: 'team', Value: 'web' },
            { Key: 'holdfast:group', Value: 'prod/workers' },
            { Key: 'holdfast:pool', Value: 'spot-a' },
            { Key: 'holdfast:reservation', Value: 'r-1' },
          ],
        },
      ],
    });
  });

  test('prefers the types in the order of the placement, which goes by prices below cheapest', () => {
    const overrides = request({ market: 'on-demand' }, [m6a, m7a, m7b])?.LaunchTemplateConfigs?.[0]?.Overrides;
    expect(overrides?.map(({ InstanceType, Priority }) => [InstanceType, Priority])).toEqual([
      ['m6g.large', 0],
      ['m7g.large', 1],
      ['m7g.large', 1],
    ]);
  });

  test('leaves the choice to EC2 where one type gives no order', () => {
    expect(request({}, [m7a, m7b])?.SpotOptions).toEqual({ AllocationStrategy: 'price-capacity-optimized' });
  });

  test('limits the price of each spot override, and of an on-demand request as a whole', () => {
    const spot = request({ maxPriceUsdPerHour: 0.05 });
    expect(spot?.LaunchTemplateConfigs?.[0]?.Overrides?.map(({ MaxPrice }) => MaxPrice)).toEqual(['0.05', '0.05', '0.05']);
    const byType = request({ maxPriceByType: { [m7a.instanceType]: 0.04 }, maxPriceUsdPerHour: 0.05 }, [m7a]);
    expect(byType?.LaunchTemplateConfigs?.[0]?.Overrides?.map(({ MaxPrice }) => MaxPrice)).toEqual(['0.04']);
    const onDemand = request({ market: 'on-demand', maxPriceUsdPerHour: 0.05 });
    expect(onDemand?.OnDemandOptions).toEqual({ AllocationStrategy: 'prioritized', MaxTotalPrice: '0.1000' });
    expect(onDemand?.LaunchTemplateConfigs?.[0]?.Overrides?.[0]).not.toHaveProperty('MaxPrice');
  });

  test('names a launch template by id and version', () => {
    expect(request({ launchTemplate: 'lt-0abc:7' })?.LaunchTemplateConfigs?.[0]?.LaunchTemplateSpecification).toEqual({
      LaunchTemplateId: 'lt-0abc',
      Version: '7',
    });
  });

  test('avoids subnets that had no free addresses, while the zone has another', () => {
    const subnets = [1, 2, 3].map((index) => ({ id: `subnet-${index}`, zone: 'z-a' }));
    const chosen = (avoidSubnets: readonly string[]) => {
      const tokens = Array.from({ length: 20 }, (_, index) => `token-${index}`);
      const pool = { ...group().pools['spot-a'], subnets } as Pool;
      const used = tokens.map((token) => {
        const asked = reservation('spot-a', 1, [m7a]);
        const input = fleetInput('holdfast', group(), pool, { ...asked, token, placement: { ...asked.placement, avoidSubnets } });
        return input?.LaunchTemplateConfigs?.[0]?.Overrides?.[0]?.SubnetId;
      });
      return [...new Set(used)].sort();
    };
    expect(chosen([])).toEqual(['subnet-1', 'subnet-2', 'subnet-3']);
    expect(chosen(['subnet-1', 'subnet-3'])).toEqual(['subnet-2']);
    expect(chosen(['subnet-1', 'subnet-2', 'subnet-3'])).toHaveLength(3);
  });

  test('never names two subnets of one zone for a type; which one it is follows the token', () => {
    const subnets = [1, 2, 3].map((index) => ({ id: `subnet-${index}`, zone: 'z-a' }));
    const chosen = (token: string) => request({ subnets }, [m7a], token)?.LaunchTemplateConfigs?.[0]?.Overrides?.map(({ SubnetId }) => SubnetId);
    expect(chosen('x')).toHaveLength(1);
    expect(chosen('x')).toEqual(chosen('x'));
    expect(new Set(['a', 'b', 'c', 'd', 'e'].flatMap((token) => chosen(token) ?? [])).size).toBeGreaterThan(1);
  });

  test('is none for a pool that is gone, or that has no subnet for any offering', () => {
    const { provider } = providerOver({ kind: 'tag' }, {});
    expect(provider.requestOf(group(), reservation('gone', 1, [m7a]))).toBeUndefined();
    expect(provider.requestOf(group(), reservation('od', 1, [m7b]))).toBeUndefined();
  });

  test('that is repeated is the request that was made, whatever the policy contains by then', async () => {
    const { provider, aws } = providerOver({ kind: 'tag' }, { CreateFleet: {} });
    const request = provider.requestOf(group(), reservation('spot-a', 2, [m7a, m6a, m7b]));
    if (request === undefined) throw new Error('there is a request');
    const kept = JSON.parse(JSON.stringify(request)) as typeof request;
    await provider.launch([request, kept].map((one) => ({ request: one, isRepeat: true, leaseUntilMs: nowMs + 1 })));
    const [first, second] = aws.inputsOf('CreateFleet').map((input) => JSON.stringify(input));
    expect(first).toBe(request.calls[0]);
    expect(second).toBe(first);
  });
});

describe('the response of CreateFleet', () => {
  test('in full is kept, and errors of other overrides are remembered', async () => {
    const result = await launchTag({
      Instances: [given('m7g.large', 'subnet-a', ['i-1', 'i-2'])],
      Errors: [
        complaint('InsufficientInstanceCapacity', 'm7g.large', 'subnet-b'),
        complaint('InsufficientInstanceCapacity', 'm7g.large', 'subnet-a'),
      ],
    });
    expect(result).toEqual({
      kind: 'answered',
      instances: [
        { instance: 'i-1', offering: m7a },
        { instance: 'i-2', offering: m7a },
      ],
      refusals: [{ offering: m7b, code: 'InsufficientInstanceCapacity', message: 'InsufficientInstanceCapacity!', scope: 'offering' }],
    });
  });

  test('in part keeps what it gave, and refuses also the offering that ran dry', async () => {
    const result = await launchTag({
      Instances: [given('m7g.large', 'subnet-a', ['i-1'])],
      Errors: [complaint('UnfulfillableCapacity', 'm7g.large', 'subnet-a'), complaint('Unsupported', 'm6g.large', 'subnet-a')],
    });
    expect(result).toMatchObject({
      instances: [{ instance: 'i-1' }],
      refusals: [
        { offering: m7a, scope: 'offering' },
        { offering: m6a, scope: 'zone-permanent' },
      ],
    });
  });

  test.each([
    ['MaxSpotInstanceCountExceeded', 'market'],
    ['VcpuLimitExceeded', 'market'],
    ['Unsupported', 'zone-permanent'],
    ['InsufficientInstanceCapacity', 'offering'],
    ['UnfulfillableCapacity', 'offering'],
    ['SpotMaxPriceTooLow', 'offering'],
    ['ReservationCapacityExceeded', 'offering'],
  ])('%s reaches as far as: %s', async (code, scope) => {
    const placement = reservation('spot-a', 2, [m7a]);
    expect(await launchTag({ Instances: [], Errors: [complaint(code, 'm7g.large', 'subnet-a')] }, placement)).toEqual({
      kind: 'answered',
      instances: [],
      refusals: [{ offering: m7a, code, message: `${code}!`, scope }],
    });
  });

  test('that EC2 describes in part is kept, as of an unknown offering', async () => {
    const answer = { Instances: [{ InstanceIds: ['i-1'] }, { InstanceType: 'm7g.large' }], Errors: [{ ErrorCode: 'InsufficientInstanceCapacity' }] };
    expect(await launchTag(answer)).toEqual({
      kind: 'answered',
      instances: [{ instance: 'i-1', offering: { instanceType: 'unknown', zone: 'unknown', market: 'spot' } }],
      refusals: [m7a, m6a, m7b].map((one) => ({ offering: one, code: 'InsufficientInstanceCapacity', message: '', scope: 'offering' })),
    });
  });

  test('of an offering with several errors has one refusal for each reach: a full subnet, and a zone without capacity', async () => {
    const [full, empty] = ['InsufficientFreeAddressesInSubnet', 'InsufficientInstanceCapacity'];
    const said = (...errors: readonly (readonly [string, string])[]) =>
      launchTag({ Instances: [], Errors: errors.map(([code, subnet]) => complaint(code, 'm7g.large', subnet)) }, reservation('spot-a', 2, [m7a]));
    const inSubnetA = { offering: m7a, code: full, scope: 'subnet', subnet: 'subnet-a' };
    const inZone = { offering: m7a, code: empty, scope: 'offering' };
    expect(await said([full, 'subnet-a'], [empty, 'subnet-a'])).toMatchObject({ refusals: [inSubnetA, inZone] });
    expect(await said([empty, 'subnet-a'], [empty, 'subnet-a'], [full, 'subnet-a'], [full, 'subnet-a'])).toMatchObject({
      refusals: [inZone, inSubnetA],
    });
  });

  test('a subnet without free addresses is refused itself, and is named where EC2 names it', async () => {
    const code = 'InsufficientFreeAddressesInSubnet';
    const refusals = async (subnet: string | undefined) => {
      const [message, LaunchTemplateAndOverrides] = [`${code}!`, { Overrides: { InstanceType: 'm7g.large', SubnetId: subnet } }] as const;
      const answer = { Instances: [], Errors: [{ ErrorCode: code, ErrorMessage: message, LaunchTemplateAndOverrides }] };
      return launchTag(answer as never, reservation('spot-a', 2, [m7a]));
    };
    expect(await refusals('subnet-a')).toMatchObject({ refusals: [{ offering: m7a, code, scope: 'subnet', subnet: 'subnet-a' }] });
    expect(await refusals(undefined)).toMatchObject({ refusals: [{ offering: m7a, code, message: `${code}!`, scope: 'subnet' }] });
  });

  // Seed 24140008 of `faulty`: the fleet took the last address of a subnet, and the next launch was requested there again.
  test('a subnet whose last addresses it gave is refused, also where it gave all that was requested', async () => {
    const full = (subnet: string | undefined) => complaint('InsufficientFreeAddressesInSubnet', 'm7g.large', subnet as string);
    const refused = async (subnet: string | undefined) => {
      const Instances = [given('m7g.large', 'subnet-a', ['i-1']), given('m7g.large', 'subnet-b', ['i-2'])];
      return ((await launchTag({ Instances, Errors: [full(subnet)] })) as { readonly refusals: readonly object[] }).refusals;
    };
    expect(await refused('subnet-a')).toMatchObject([{ offering: m7a, scope: 'subnet', subnet: 'subnet-a' }]);
    expect(await refused(undefined)).toEqual([]);
  });

  test.each(['RequestLimitExceeded', 'MaxFleetCountExceeded', 'InternalError'])(
    '%s inside Errors[] with nothing given is a throttle, never a refusal',
    async (code) => {
      expect(await launchTag({ Instances: [], Errors: [m7a, m6a].map(({ instanceType }) => complaint(code, instanceType, 'subnet-a')) })).toEqual({
        kind: 'throttled',
        code,
        ...(code === 'RequestLimitExceeded' && { empty: 'instances' }),
      });
    },
  );

  test('a throttle beside what was given refuses nothing', async () => {
    const result = await launchTag({
      Instances: [given('m7g.large', 'subnet-a', ['i-1'])],
      Errors: [complaint('RequestLimitExceeded', 'm6g.large', 'subnet-a')],
    });
    expect(result).toMatchObject({ kind: 'answered', instances: [{ instance: 'i-1' }], refusals: [], empty: 'instances' });
  });

  test('a request that is wrong everywhere is wrong, and is never a refusal', async () => {
    const wrong = complaint('InvalidSubnetID.NotFound', 'm7g.large', 'subnet-a');
    expect(await launchTag({ Errors: [wrong] })).toEqual({ kind: 'invalid', code: 'InvalidSubnetID.NotFound', message: 'InvalidSubnetID.NotFound!' });
    expect(await launchTag({ Errors: [{}] })).toMatchObject({ kind: 'invalid', code: 'Unknown' });
    expect(await launchTag({ Errors: [wrong, complaint('InsufficientInstanceCapacity', 'm7g.large', 'subnet-b')] })).toMatchObject({
      kind: 'answered',
      refusals: [{ offering: m7b }],
    });
    // In one zone, the subnet that has no capacity is told from the one that is gone.
    expect(await launchTag({ Errors: [wrong, complaint('InsufficientInstanceCapacity', 'm7g.large', 'subnet-a')] })).toMatchObject({
      refusals: [{ offering: m7a, code: 'InsufficientInstanceCapacity' }],
    });
    expect(await launchTag({ Instances: [given('m7g.large', 'subnet-b', ['i-1'])], Errors: [wrong] })).toMatchObject({
      kind: 'answered',
      refusals: [],
    });
    // The part that was throttled may bring instances, so all of it is requested again.
    expect(await launchTag({ Errors: [wrong, complaint('RequestLimitExceeded', 'm6g.large', 'subnet-a')] })).toEqual({
      kind: 'throttled',
      code: 'RequestLimitExceeded',
      empty: 'instances',
    });
  });

  test('fewer instances than requested without an error refuse the placement, so that it is not repeated without end', async () => {
    expect(await launchTag({ Instances: [given('m7g.large', 'subnet-a', ['i-1'])] })).toMatchObject({
      instances: [{ instance: 'i-1' }],
      refusals: [{ code: 'UnexplainedShortfall' }, { code: 'UnexplainedShortfall' }, { code: 'UnexplainedShortfall' }],
    });
  });

  test.each([
    ['RequestLimitExceeded', 503, 'throttled'],
    ['InternalError', 500, 'ambiguous'],
    ['SomethingNew', 502, 'ambiguous'],
    ['IdempotentParameterMismatch', 400, 'made-before'],
    ['InvalidLaunchTemplateName.NotFoundException', 400, 'invalid'],
    ['UnauthorizedOperation', 403, 'invalid'],
  ])('%s thrown (%i) is %s', async (code, status, kind) => {
    expect(await launchTag(failsWith(code, 'why', status))).toMatchObject({ kind, code });
  });

  test('capacity refused as a thrown error refuses every offering of the placement', async () => {
    expect(await launchTag(failsWith('InsufficientInstanceCapacity'), reservation('od', 1, [od]))).toMatchObject({ refusals: [{ offering: od }] });
  });

  test('a network that breaks is ambiguous; a bug of ours is thrown', async () => {
    const broken = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    const fail = (error: Error) => () => {
      throw error;
    };
    expect(await launchTag(fail(broken))).toEqual({ kind: 'ambiguous', code: 'ECONNRESET' });
    await expect(launchTag(fail(new TypeError('bug')))).rejects.toThrow('bug');
  });

  test('belongs to its own reservation, in the order of the requests', async () => {
    const { provider, aws } = providerOver(
      { kind: 'tag' },
      {
        CreateFleet: ({ ClientToken }: { ClientToken: string }) => ({ Instances: [given('m7g.large', 'subnet-a', [`i-${ClientToken}`])] }),
      },
    );
    const several = ['x', 'y', 'z'].map((token) => reservation('spot-a', 1, [m7a], { id: token, token }));
    const results = await launchNow(provider, group(), several);
    expect(results.map((result) => (result.kind === 'answered' ? result.instances[0]?.instance : undefined))).toEqual(['i-x', 'i-y', 'i-z']);
    expect(aws.inputsOf('CreateFleet')).toHaveLength(3);
  });
});

describe('LaunchInstances', () => {
  const spotA = offering('m7g.large', 'z-a');
  const answerFor = ({ RequestedCapacity, ClientToken }: { RequestedCapacity: number; ClientToken: string }) => ({
    Instances: [
      {
        InstanceType: 'm7g.large',
        AvailabilityZone: 'z-a',
        InstanceIds: Array.from({ length: RequestedCapacity }, (_, index) => `i-${ClientToken}-${index}`),
      },
    ],
  });
  const refused = {
    Instances: [],
    Errors: [{ InstanceType: 'm7g.large', AvailabilityZone: 'z-a', ErrorCode: 'InsufficientInstanceCapacity', ErrorMessage: 'none' }],
  };
  const launch = async (answer: object | readonly object[], count: number, tagging: object = {}) => {
    const over = providerOver({ kind: 'launch-instances' }, { LaunchInstances: answer, CreateTags: tagging });
    const [result] = await launchNow(over.provider, groupOfAsgs(), [reservation('a', count, [spotA])]);
    return { ...over, result };
  };

  test("goes into the pool's own group without its retries, and tags what came", async () => {
    const { aws, result } = await launch(answerFor, 2);
    expect(aws.inputsOf('LaunchInstances')).toEqual([
      { AutoScalingGroupName: 'asg-a', RequestedCapacity: 2, ClientToken: 'token-1', RetryStrategy: 'none' },
    ]);
    expect(result).toMatchObject({ kind: 'answered', instances: [{ instance: 'i-token-1-0', offering: spotA }, {}], refusals: [] });
    expect(aws.inputsOf('CreateTags')[0]).toMatchObject({
      Resources: ['i-token-1-0', 'i-token-1-1'],
      Tags: expect.arrayContaining([{ Key: 'holdfast:reservation', Value: 'r-1' }]),
    });
  });

  test.each([
    ['gave nothing', [spotA], ['m6g.large/z-a/spot']],
    ['gave a part of what is whole', [spotA, offering('m6g.large', 'z-a')], []],
  ])('remembers the refusal of a type that the group tried first, unasked, where it %s', async (_, offerings, refusals) => {
    const Instances = offerings.map(({ instanceType }, index) => ({
      ...{ InstanceType: instanceType, AvailabilityZone: 'z-a', InstanceIds: [`i-${index}`] },
    }));
    const Errors = [{ ...refused.Errors[0], InstanceType: 'm6g.large' }];
    const { result } = await launch([{ Instances, Errors }], offerings.length);
    expect(result?.kind === 'answered' && result.refusals.map((one) => offeringKey(one.offering))).toEqual(refusals);
  });

  test('takes at most 100 a call, each part under a token of its own; tags go out a thousand a call', async () => {
    const { aws, result } = await launch(answerFor, 250);
    expect(aws.inputsOf('LaunchInstances').map(({ ClientToken, RequestedCapacity }) => [ClientToken, RequestedCapacity])).toEqual([
      ['token-1-1', 100],
      ['token-1-2', 100],
      ['token-1-3', 50],
    ]);
    expect(result?.kind === 'answered' && result.instances.length).toBe(250);
    expect(aws.inputsOf('CreateTags')).toHaveLength(1);
  });

  test('makes the same parts for a repeat, and no token longer than 64 characters', () => {
    const long = reservation('a', 1_050, [spotA], { token: 't'.repeat(64) });
    expect(partsOf(long)).toEqual(partsOf(long));
    expect(new Set(partsOf(long).map(({ token }) => token)).size).toBe(11);
    expect(Math.max(...partsOf(long).map(({ token }) => token.length))).toBe(64);
  });

  test('requests one part first, and no more parts when the pool is empty', async () => {
    const { aws, result } = await launch([refused], 1_000);
    expect(aws.inputsOf('LaunchInstances')).toHaveLength(1);
    expect(result).toMatchObject({ kind: 'answered', instances: [], refusals: [{ offering: spotA, code: 'InsufficientInstanceCapacity' }] });
  });

  test('stops once a part gives nothing, and keeps what came before and beside it', async () => {
    const { aws, result } = await launch([answerFor, answerFor, refused, answerFor], 1_000);
    expect(aws.inputsOf('LaunchInstances')).toHaveLength(4);
    expect(result).toMatchObject({ kind: 'answered', refusals: [{ offering: spotA, code: 'InsufficientInstanceCapacity' }] });
    expect(result?.kind === 'answered' && result.instances.length).toBe(300);
  });

  test('one lost response among several parts makes the whole launch ambiguous', async () => {
    const lost = failsWith('IdempotentCallInProgressFault', 'busy', 500);
    const { result } = await launch([answerFor, lost, refused, failsWith('UnsupportedOperation', 'warm pool')], 400);
    expect(result).toEqual({ kind: 'ambiguous', code: 'IdempotentCallInProgressFault' });
  });

  test('a lost response makes the whole reservation ambiguous, and the instances of the other parts are tagged', async () => {
    const { aws, result } = await launch([answerFor, failsWith('IdempotentCallInProgressFault', 'busy', 500)], 200);
    expect(result).toEqual({ kind: 'ambiguous', code: 'IdempotentCallInProgressFault' });
    expect(aws.inputsOf('CreateTags')[0]?.Resources).toHaveLength(100);
  });

  test('a throttle after a part that was given keeps the part', async () => {
    const { result } = await launch([answerFor, failsWith('Throttling', 'Rate exceeded')], 200);
    expect(result).toMatchObject({ kind: 'answered', refusals: [] });
    expect(result?.kind === 'answered' && result.instances.length).toBe(100);
  });

  test.each([
    ['Throttling', 'Rate exceeded', 'throttled'],
    ['ResourceContentionFault', 'pending update', 'throttled'],
    ['IdempotentParameterMismatchError', 'other request', 'made-before'],
    ['UnsupportedOperation', 'warm pool', 'invalid'],
  ])('%s is %s %s', async (code, message, kind) => {
    expect((await launch(failsWith(code, message), 1)).result).toMatchObject({ kind, code });
  });

  test("no room below the group's maximum denies the launch, and is no statement about capacity", async () => {
    const message = "New size 12 exceeds the group's max size 10.";
    expect((await launch(failsWith('ValidationError', message), 2)).result).toEqual({ kind: 'invalid', code: 'ValidationError', message });
  });

  test('instances and errors that Auto Scaling describes in part are kept, as of an unknown offering', async () => {
    const { result } = await launch([{ Instances: [{ InstanceIds: ['i-1'] }], Errors: [{ ErrorCode: 'InsufficientInstanceCapacity' }] }], 2);
    expect(result).toEqual({
      kind: 'answered',
      instances: [{ instance: 'i-1', offering: { instanceType: 'unknown', zone: 'unknown', market: 'spot' } }],
      refusals: [{ offering: spotA, code: 'InsufficientInstanceCapacity', message: '', scope: 'offering' }],
    });
    expect((await launch([{}], 1)).result).toMatchObject({ kind: 'answered', instances: [] });
  });

  test('leaves the whole reservation open where the request of a part was made before with another content', async () => {
    const { result } = await launch([answerFor, failsWith('IdempotentParameterMismatchError', 'other')], 200);
    expect(result).toMatchObject({ kind: 'made-before', code: 'IdempotentParameterMismatchError' });
  });

  test.each([
    ['InsufficientInstanceCapacity', 'none left', ['InsufficientInstanceCapacity']],
    ['ValidationError', "New size 212 exceeds the group's max size 200.", []],
    ['AccessDenied', 'not authorized', []],
  ])('one that fails with %s after parts that were given keeps these, and learns what it says about capacity', async (code, message, refused) => {
    const { result } = await launch([answerFor, failsWith(code, message)], 200);
    expect(result?.kind === 'answered' && result.refusals.map((refusal) => refusal.code)).toEqual(refused);
    expect(result?.kind === 'answered' && result.instances.length).toBe(100);
  });

  test('instances that cannot be tagged are kept, and it is noted', async () => {
    const { result, notes } = await launch(answerFor, 1, failsWith('InvalidInstanceID.NotFound'));
    expect(result).toMatchObject({ kind: 'answered', instances: [{ instance: 'i-token-1-0' }] });
    expect(notes).toHaveLength(1);
    expect(notes[0]?.what).toContain('could not be tagged');
    expect(notes[0]?.detail).toMatchObject({ instances: ['i-token-1-0'], code: 'InvalidInstanceID.NotFound' });
  });

  test('instances that could not be tagged are tagged later as they would have been then', async () => {
    const { aws, provider } = await launch(answerFor, 1);
    expect(await provider.tagLaunched(groupOfAsgs(), reservation('a', 1, [spotA]), ['i-late'])).toBe('done');
    const [then, later] = aws.inputsOf('CreateTags');
    expect(later).toEqual({ ...then, Resources: ['i-late'] });
    expect(await provider.tagLaunched(groupOfAsgs(), reservation('gone', 1, [spotA]), ['i-late'])).toBe('done');
    expect(aws.inputsOf('CreateTags')).toHaveLength(2);
  });

  test.each([
    ['RequestLimitExceeded', 'later'],
    ['UnauthorizedOperation', 'done'],
  ])('instances that cannot be tagged later either, by %s: %s', async (code, result) => {
    const { provider } = await launch(answerFor, 1, failsWith(code));
    expect(await provider.tagLaunched(groupOfAsgs(), reservation('a', 1, [spotA]), ['i-late'])).toBe(result);
  });

  test('has no request for a pool that is no Auto Scaling group any more', () => {
    const { provider } = providerOver({ kind: 'launch-instances' }, {});
    expect(provider.requestOf(groupOfAsgs(), reservation('gone', 1, [spotA]))).toBeUndefined();
  });

  test('repeated settles nothing while a part of it has no response: an earlier attempt of that part may have launched', async () => {
    const repeat = async (failure: object) => {
      const { provider } = providerOver({ kind: 'launch-instances' }, { LaunchInstances: [answerFor, failure], CreateTags: {} });
      return (await launchNow(provider, groupOfAsgs(), [reservation('a', 200, [spotA])], { isRepeat: true }))[0];
    };
    expect(await repeat(failsWith('Throttling', 'Rate exceeded'))).toEqual({ kind: 'throttled', code: 'Throttling' });
    expect(await repeat(failsWith('UnsupportedOperation', 'warm pool'))).toMatchObject({ kind: 'invalid' });
    expect(await repeat(failsWith('ValidationError', "New size 12 exceeds the group's max size 10."))).toMatchObject({ kind: 'throttled' });
    expect(await repeat(refused)).toMatchObject({ kind: 'answered' });
  });
});
