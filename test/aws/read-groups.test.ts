import { describe, expect, test } from 'vitest';
import { describeHoldings, describeTogether } from '../../aws/providers/describe-members.ts';
import type { Changes } from '../../core/view/changes.ts';
import { autoScalingGroup, ec2Instance, group, nowMs } from './builders.ts';
import { type Answers, awsError, createFakeAws, failsWith, longPause } from './fake-aws.ts';

const named = (name: string) => group({ name });
const attached = (name: string) => group({ name, holding: { kind: 'attach', asg: name } });
const tagged = (name: string) => ({ 'holdfast:group': `prod/${name}` });

const lookOver = (
  groups: readonly ReturnType<typeof group>[],
  answers: Answers,
  how: Parameters<typeof describeTogether>[2] = { isWarned: false },
) => {
  const aws = createFakeAws(answers);
  const { ec2, autoScaling, elb } = aws;
  const deps = { ec2, autoScaling, elb, deployment: 'prod', now: () => nowMs, sleep: longPause, note: () => {}, missed: () => {} };
  return { aws, look: describeTogether(deps, groups, how) };
};

const idsOf = ({ members }: { readonly members: readonly { readonly instance: string }[] }) => members.map(({ instance }) => instance);
const instances = (...of: readonly object[]) => ({ Reservations: [{ Instances: of }] });
type Asked = { readonly Filters: readonly { readonly Name: string; readonly Values: readonly string[] }[] };

describe('groups that are read together', () => {
  test('cost one describe of instances for all of them, and each gets its own', async () => {
    const groups = ['one', 'two', 'three'].map(named);
    const found = instances(ec2Instance('i-1', tagged('one')), ec2Instance('i-2', tagged('two')), ec2Instance('i-3', tagged('one')));
    const { aws, look } = lookOver(groups, { DescribeInstances: found });
    const looks = await Promise.all(groups.map(look));
    expect(looks.map(idsOf)).toEqual([['i-1', 'i-3'], ['i-2'], []]);
    expect(aws.inputsOf('DescribeInstances')).toMatchObject([{ Filters: [{ Values: ['prod/one', 'prod/two', 'prod/three'] }] }]);
    expect(aws.calls).toHaveLength(1);
  });

  test('cost one describe of Auto Scaling groups for a hundred of them', async () => {
    const groups = Array.from({ length: 110 }, (_, index) => attached(`asg-${index}`));
    const { aws, look } = lookOver(groups, {
      DescribeInstances: instances(),
      DescribeAutoScalingGroups: { AutoScalingGroups: groups.map(({ name }) => autoScalingGroup(name, {})) },
    });
    const looks = await Promise.all(groups.map(look));
    expect(looks.map(({ asgs }) => asgs.length)).toEqual(groups.map(() => 2));
    expect(aws.inputsOf('DescribeAutoScalingGroups')).toHaveLength(2);
  });

  test('are read in as many describes as need one page each, by what the last read found', async () => {
    const groups = Array.from({ length: 60 }, (_, index) => named(`group-${index}`));
    const large = groups
      .slice(0, 20)
      .flatMap(({ name }) => Array.from({ length: 150 }, (_, index) => ec2Instance(`i-${name}-${index}`, tagged(name))));
    const aws = createFakeAws({
      DescribeInstances: ({ Filters: [filter] }: Asked) =>
        instances(...large.filter(({ Tags }) => Tags.some(({ Value }) => filter?.Values.includes(Value)))),
    });
    const { ec2, autoScaling, elb } = aws;
    const deps = { ec2, autoScaling, elb, deployment: 'prod', now: () => nowMs, sleep: longPause, note: () => {}, missed: () => {} };
    const valuesAsked = async () => {
      const before = aws.inputsOf('DescribeInstances').length;
      await Promise.all(groups.map(describeTogether(deps, groups)));
      return aws
        .inputsOf('DescribeInstances')
        .slice(before)
        .map((input) => (input as Asked).Filters[0]?.Values.length);
    };
    expect(await valuesAsked()).toEqual([59, 1]);
    expect(await valuesAsked()).toEqual([6, 6, 6, 42]);
  });

  test('are read again where AWS throttles the read', async () => {
    const throttled = () => {
      throw awsError('RequestLimitExceeded', 'Request limit exceeded.', 503);
    };
    const groups = ['one', 'two'].map(named);
    const { aws, look } = lookOver(groups, { DescribeInstances: [throttled, throttled, instances(ec2Instance('i-1', tagged('one')))] });
    expect((await Promise.all(groups.map(look))).map(idsOf)).toEqual([['i-1'], []]);
    expect(aws.inputsOf('DescribeInstances')).toHaveLength(3);
  });

  test('are read one by one where the common read fails otherwise, and what is wrong fails its own group alone', async () => {
    const answer = ({ Filters: [filter] }: Asked) => {
      if (filter?.Values.includes('prod/bad')) throw awsError('InvalidParameterValue');
      return instances(ec2Instance('i-1', tagged('good')));
    };
    const { look } = lookOver([named('good'), named('bad')], { DescribeInstances: answer });
    const looks = await Promise.allSettled([look(named('good')), look(named('bad'))]);
    expect(looks.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(looks.flatMap((one) => (one.status === 'fulfilled' ? idsOf(one.value) : []))).toEqual(['i-1']);
  });

  test('a group without Auto Scaling groups does not depend on reading those of others', async () => {
    const groups = [named('plain'), attached('held')];
    const { look } = lookOver(groups, {
      DescribeInstances: instances(ec2Instance('i-1', tagged('plain'))),
      DescribeAutoScalingGroups: () => {
        throw awsError('Throttling', 'Rate exceeded');
      },
    });
    const looks = await Promise.allSettled(groups.map(look));
    expect(looks.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  test.each([
    ['ten groups reads the target health of all of them', 10, { isWarned: false }, [10, 10]],
    ['ten groups whose members were just warned reads that of a part, once a minute', 10, { isWarned: true, isTick: true }, [1, 5]],
    ['ten groups whose members were just warned reads none between ticks, because many such looks come', 10, { isWarned: true }, [0, 0]],
    ['three groups whose members were just warned reads that of all of them', 3, { isWarned: true }, [3, 3]],
  ] as const)('a look over %s', async (_what, count, how, [least, most]) => {
    const balanced = (name: string) => group({ name, drain: { timeoutMs: 300_000, loadBalancers: [`arn-of-${name}`] } });
    const groups = Array.from({ length: count }, (_, index) => balanced(`web-${index}`));
    const answers = { DescribeInstances: instances(), DescribeTargetHealth: { TargetHealthDescriptions: [] } };
    const { aws, look } = lookOver(groups, answers, how);
    await Promise.all(groups.map(look));
    const read = aws.inputsOf('DescribeTargetHealth').length;
    expect(read).toBeGreaterThanOrEqual(least);
    expect(read).toBeLessThanOrEqual(most);
  });

  /** The groups of twenty-five whose target health a look reads, so many minutes from now. */
  const readAfter = async (minutes: number, member: object | undefined) => {
    const groups = Array.from({ length: 25 }, (_, index) =>
      group({ name: `web-${index}`, drain: { timeoutMs: 300_000, loadBalancers: [`arn-of-web-${index}`] } }),
    );
    const aws = createFakeAws({
      DescribeInstances: member ? instances(member) : instances(),
      DescribeTargetHealth: { TargetHealthDescriptions: [] },
    });
    const { ec2, autoScaling, elb } = aws;
    const deps = {
      ec2,
      autoScaling,
      elb,
      deployment: 'prod',
      now: () => nowMs + minutes * 60_000,
      sleep: longPause,
      note: () => {},
      missed: () => {},
    };
    const look = describeTogether(deps, groups);
    await Promise.all(groups.map(look));
    return aws.inputsOf('DescribeTargetHealth').map(({ TargetGroupArn }) => String(TargetGroupArn));
  };

  test('take turns with their target health, so that each is read once within as many minutes as there are parts', async () => {
    const minutes = [await readAfter(0, undefined), await readAfter(1, undefined), await readAfter(2, undefined)];
    expect(minutes.flat().toSorted()).toEqual(Array.from({ length: 25 }, (_, index) => `arn-of-web-${index}`).toSorted());
    expect(await readAfter(3, undefined)).toEqual(minutes[0]);
  });

  test('read it out of turn where a new instance may have to be registered', async () => {
    const inTurn = await readAfter(0, undefined);
    const other = Array.from({ length: 25 }, (_, index) => `web-${index}`).find((name) => !inTurn.includes(`arn-of-${name}`)) ?? '';
    const isReadFor = async (ageMs: number, state = 'running') =>
      (await readAfter(0, ec2Instance('i-1', tagged(other), { state, launchedAtMs: nowMs - ageMs }))).includes(`arn-of-${other}`);
    expect(await isReadFor(119_999)).toBe(true);
    expect(await isReadFor(120_000)).toBe(false);
    expect(await isReadFor(1_000, 'pending')).toBe(false);
  });

  test('are not read again for one group alone: its next look reads', async () => {
    const throttled = () => {
      throw awsError('RequestLimitExceeded', 'Request limit exceeded.', 503);
    };
    const { aws, look } = lookOver([named('one')], { DescribeInstances: throttled });
    await expect(look(named('one'))).rejects.toThrow('Request limit exceeded.');
    expect(aws.inputsOf('DescribeInstances')).toHaveLength(1);
    const many = lookOver(['one', 'two'].map(named), { DescribeInstances: throttled });
    const looks = await Promise.allSettled([many.look(named('one')), many.look(named('two'))]);
    expect(looks.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(many.aws.inputsOf('DescribeInstances')).toHaveLength(4);
  });
});

/** Whether a look that fails returns before its slow read of instances has come. */
const returnsBefore = async (look: (aws: ReturnType<typeof createFakeAws>) => Promise<unknown>): Promise<boolean> => {
  let hasCome = false;
  const slow = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    hasCome = true;
    return instances();
  };
  const aws = createFakeAws({
    DescribeInstances: slow,
    DescribeAutoScalingGroups: failsWith('AccessDenied'),
  });
  await expect(look(aws)).rejects.toThrow('AccessDenied');
  return !hasCome;
};

test('a look whose one read fails waits for its other reads, so that none of them runs on in the next invocation', async () => {
  const depsOf = ({ ec2, autoScaling, elb }: ReturnType<typeof createFakeAws>) => {
    const rest = { deployment: 'prod', now: () => nowMs, sleep: longPause, note: () => {}, missed: () => {} };
    return { ec2, autoScaling, elb, ...rest };
  };
  const groups = ['one', 'two'].map(attached);
  expect(await returnsBefore((aws) => describeTogether(depsOf(aws), groups)(attached('one')))).toBe(false);
  expect(await returnsBefore((aws) => describeHoldings(depsOf(aws), attached('one')))).toBe(false);
});

const unchanged = new Map(['web', 'api', 'few'].map((name) => [name, { granted: [], open: [], ended: [], size: 1 }]));
const runs = Array.from({ length: 1_000 }, (_, index) => ec2Instance(`i-${index}`, tagged('web')));

test.each([
  ['its items were read', unchanged, 1],
  ['its items were not read', undefined, 0],
])('a look at one large group reads what may have changed where %s', async (_when, changes, limited) => {
  const aws = createFakeAws({ DescribeInstances: instances(...runs), DescribeTargetHealth: { TargetHealthDescriptions: [] } });
  const { ec2, autoScaling, elb } = aws;
  const deps = { ec2, autoScaling, elb, deployment: 'prod', now: () => nowMs, sleep: longPause, note: () => {}, missed: () => {} };
  for (let looks = 0; looks < 2; looks += 1)
    await describeTogether(deps, [named('web')], { isWarned: true, ...(changes && { changes }) })(named('web'));
  const filters = aws.inputsOf('DescribeInstances').map(({ Filters }) => (Filters as Asked['Filters']).map(({ Name }) => Name));
  expect(filters.filter((names) => names.includes('instance-state-name'))).toHaveLength(limited);
});

test.each([
  ['alone', ['web']],
  ['together', ['web', 'api']],
])('a look %s that cannot read target health takes whom the state notes as registered for registered, under the same policy', async (_how, names) => {
  const young = ec2Instance('i-1', tagged('web'), { launchedAtMs: nowMs - 20_000 });
  const aws = createFakeAws({ DescribeInstances: instances(young), DescribeTargetHealth: failsWith('Throttling') });
  const { ec2, autoScaling, elb } = aws;
  const deps = { ec2, autoScaling, elb, deployment: 'prod', now: () => nowMs, sleep: longPause, note: () => {}, missed: () => {} };
  const served = (name: string) => group({ name, drain: { timeoutMs: 1, loadBalancers: ['tg-1'] } });
  const one = served('web');
  const shown = async (registered?: Changes['registered']) => {
    const changes = new Map(names.map((name) => [name, { granted: [], open: [], ended: [], size: 1, ...(registered && { registered }) }]));
    const look = describeTogether(deps, names.map(served), { isWarned: false, changes });
    return (await look(one)).members.map(({ admitted, serving, mayServe }) => [admitted, serving, mayServe]);
  };
  const { policyVersion } = one;
  expect(await shown()).toEqual([[false, false, undefined]]);
  expect(await shown({ policyVersion, instances: ['i-1'] })).toEqual([[true, false, true]]);
  expect(await shown({ policyVersion, instances: ['i-2'] })).toEqual([[false, false, undefined]]);
  expect(await shown({ policyVersion: policyVersion + 1, instances: ['i-1'] })).toEqual([[false, false, undefined]]);
});

/** Looks at two large groups and a small one. Each look ends before the next begins. */
const largeGroups = async (wholes: readonly boolean[], changes = unchanged, make = named) => {
  const names = ['web', 'api', 'few'];
  const sizes: Readonly<Record<string, number>> = { web: 1_000, api: 1_500, few: 1 };
  const all = names.flatMap((name) => Array.from({ length: sizes[name] ?? 0 }, (_, index) => ec2Instance(`${name}-${index}`, tagged(name))));
  const answer = ({ Filters }: Asked) => {
    const values = Filters[0]?.Values ?? [];
    const isLimited = Filters.some(({ Name }) => Name === 'instance-state-name');
    return instances(...(isLimited ? [] : all.filter(({ Tags }) => Tags?.some(({ Value = '' }) => values.includes(Value)))));
  };
  const aws = createFakeAws({ DescribeInstances: answer, DescribeTargetHealth: { TargetHealthDescriptions: [] } });
  const { ec2, autoScaling, elb } = aws;
  const deps = { ec2, autoScaling, elb, deployment: 'prod', now: () => nowMs, sleep: longPause, note: () => {}, missed: () => {} };
  const found: (readonly number[])[] = [];
  for (const isWhole of wholes) {
    const look = describeTogether(deps, names.map(make), { isWarned: false, isWhole, changes });
    found.push((await Promise.all(names.map((name) => look(make(name))))).map(({ members }) => members.length));
  }
  const filters = aws.inputsOf('DescribeInstances').map(({ Filters }) => {
    const [{ Values: values = [] } = {}, ...limits] = Filters as Asked['Filters'];
    return `${values.map((value) => value.replace('prod/', '')).join('+')}${limits.length > 0 ? ' limited' : ''}`;
  });
  return { found, filters };
};

test('large groups that are looked at together are kept apart, and read no further than what may have changed', async () => {
  const { found, filters } = await largeGroups([false, false, false]);
  expect(found).toEqual([
    [1_000, 1_500, 1],
    [1_000, 1_500, 1],
    [1_000, 1_500, 1],
  ]);
  expect(filters).toEqual(['web+api+few', 'web', 'api', 'few', 'web limited', 'api limited', 'few']);
});

test('large groups that are looked at together are read whole where the look asks for it', async () => {
  expect((await largeGroups([true, true, true])).filters).toEqual(['web+api+few', 'web', 'api', 'few', 'web', 'api', 'few']);
});

test('large groups are read apart from the first look on, where their size is known: the pages of one describe come one after the other', async () => {
  const sized = new Map([...unchanged].map(([name, changes]) => [name, { ...changes, size: name === 'few' ? 1 : 1_000 }]));
  expect((await largeGroups([false], sized)).filters).toEqual(['web', 'api', 'few']);
});

test('new large groups, which have no state item yet, are read apart by the sizes of their policies, and always whole', async () => {
  const wanting = (name: string) => group({ name, size: { min: 0, max: 2_000, desired: name === 'few' ? 1 : 1_000 } });
  const { found, filters } = await largeGroups([false, false], new Map(), wanting);
  expect(found).toEqual([
    [1_000, 1_500, 1],
    [1_000, 1_500, 1],
  ]);
  expect(filters).toEqual(['web', 'api', 'few', 'web', 'api', 'few']);
});

describe('a look at one group', () => {
  const gives = { AutoScalingGroups: [autoScalingGroup('web', {}, { targetGroups: ['arn:targetgroup/web'] })] };
  const throttled = failsWith('Throttling');
  const atOnce = ['AutoScalingGroups', 'Instances', 'Instances', 'TargetHealth'];

  /** What each of several looks calls, in order. Auto Scaling gives the first one what it reads, and then does as told. */
  const looksWhere = async (doing: readonly Answers[string][], { laterMs = 10_000, isReported = false } = {}) => {
    const health = { TargetHealthDescriptions: [] };
    const aws = createFakeAws({ DescribeAutoScalingGroups: [gives, ...doing], DescribeInstances: instances(), DescribeTargetHealth: health });
    const { ec2, autoScaling, elb } = aws;
    const at = { nowMs };
    const deps = { ec2, autoScaling, elb, deployment: 'prod', now: () => at.nowMs, sleep: longPause, note: () => {}, missed: () => {} };
    const changes = new Map([['web', { granted: [], open: [], ended: [], size: 1 }]]);
    const found: (readonly string[])[] = [];
    for (const _ of [gives, ...doing]) {
      const before = aws.calls.length;
      const look = describeTogether(deps, [attached('web')], { isWarned: false, isReported, changes });
      await look(attached('web')).catch(() => undefined);
      found.push(aws.calls.slice(before).map(({ operation }) => operation.replace('Describe', '')));
      at.nowMs += laterMs;
    }
    return found.slice(1);
  };

  test('reads nothing but its Auto Scaling groups while these are throttled, and the rest once they are read', async () => {
    const [first = [], second, third = [], fourth = []] = await looksWhere([throttled, throttled, gives, gives]);
    expect([[...first].sort(), second, third[0], [...third].sort()]).toEqual([atOnce, ['AutoScalingGroups'], 'AutoScalingGroups', atOnce]);
    expect([first[0], fourth[0]]).toEqual(['Instances', 'Instances']);
  });

  test.each([
    ['signals ask for it', { isReported: true }, throttled],
    ['the throttle was long ago', { laterMs: 90_000 }, throttled],
    ['the look before failed for another reason', {}, failsWith('InternalFailure')],
  ])('reads all at once where %s', async (_when, how, before) => {
    const [first, second] = await looksWhere([before, throttled], how);
    expect([first, [...(second ?? [])].sort()]).toEqual([second, atOnce]);
  });

  test('waits for Auto Scaling after a throttle of less than one and a half minutes ago', async () => {
    expect((await looksWhere([throttled, throttled], { laterMs: 89_999 }))[1]).toEqual(['AutoScalingGroups']);
  });
});
