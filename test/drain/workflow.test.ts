import validateAsl from 'asl-validator';
import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { synthesize } from './definition.ts';

const { template, definition } = synthesize();
const states = definition.States;

test('the definition is valid Amazon States Language in JSONata', () => {
  expect(definition.QueryLanguage).toBe('JSONata');
  expect(validateAsl(definition)).toMatchObject({ isValid: true });
});

test.each([
  ['leads to a state that is not there', { 'Begin drain': { ...states['Begin drain'], Next: 'Nowhere' } }],
  ['has a state of a type that nobody knows', { 'Begin drain': { ...states['Begin drain'], Type: 'Hope' } }],
  ['has a field of JSONPath', { 'Begin drain': { ...states['Begin drain'], ResultPath: '$.step' } }],
])('a definition that %s would be found invalid', (_, broken) => {
  expect(validateAsl({ ...definition, States: { ...states, ...broken } }).isValid).toBe(false);
});

test('the names of the states describe a drain in order', () => {
  expect(definition.StartAt).toBe('Begin drain');
  expect(Object.keys(states).toSorted()).toEqual(
    [
      ...['Begin drain', 'Check drain', 'End drain', 'Ended', 'Is it over?', 'Not ended'],
      ...['Wait for connections', 'Wait for replacements', 'Wait to end again', 'What next?'],
      ...['Wait to begin', 'Wait to check', 'Wait to end'],
    ].toSorted(),
  );
  expect(states['Wait for replacements']).toMatchObject({ Type: 'Wait', Timestamp: '{% $states.input.step.untilIso %}', Next: 'Begin drain' });
  expect(states['Wait for connections']).toMatchObject({ Type: 'Wait', Timestamp: '{% $states.input.step.untilIso %}', Next: 'Check drain' });
  expect(states['What next?']).toMatchObject({ Type: 'Choice', Default: 'End drain' });
  expect(states['End drain']).toMatchObject({ Next: 'Is it over?' });
  expect(states['Is it over?']).toMatchObject({ Type: 'Choice', Default: 'Ended' });
  expect(states['Is it over?']?.Choices?.map(({ Next }) => Next)).toEqual(['Wait for replacements', 'Wait to end again', 'Not ended']);
  expect(states['Wait to end again']).toMatchObject({ Type: 'Wait', Timestamp: '{% $states.input.step.untilIso %}', Next: 'End drain' });
  expect(states.Ended).toMatchObject({ Type: 'Succeed' });
  expect(states['Not ended']).toMatchObject({ Type: 'Fail', Error: '{% $states.input.step.error %}', Cause: '{% $states.input.step.cause %}' });
});

test('whatever breaks while a drain begins or is checked, it is ended with the error', () => {
  for (const name of ['Begin drain', 'Check drain']) {
    expect(states[name]?.Catch?.slice(1)).toEqual([
      {
        ErrorEquals: ['States.ALL'],
        Output:
          '{% $merge([$sift($states.input, function($value, $key) { $not($key in ["isRepeat", "crowded"]) }), {"error": $states.errorOutput}]) %}',
        Next: 'End drain',
      },
    ]);
  }
});

test('a step for which Lambda has no room is called again a few seconds later, and keeps what is known of its attempts', () => {
  const oneMore = '{"crowded": ($exists($states.input.crowded) ? $states.input.crowded : 0) + 1}';
  const withAttempts = `{% $merge([$states.input, ${oneMore}, $states.context.State.RetryCount > 0 ? {"isRepeat": true} : {}]) %}`;
  const ErrorEquals = ['Lambda.TooManyRequestsException'];
  for (const [name, Next, Output] of [
    ['Begin drain', 'Wait to begin', withAttempts],
    ['Check drain', 'Wait to check', `{% $merge([$states.input, ${oneMore}]) %}`],
    ['End drain', 'Wait to end', withAttempts],
  ] as const) {
    expect(states[name]?.Retry?.filter(({ ErrorEquals: of }) => of.includes(ErrorEquals[0] as string))).toEqual([{ ErrorEquals, MaxAttempts: 0 }]);
    expect(states[name]?.Catch?.[0]).toEqual({ ErrorEquals, Next, Output });
    expect(states[Next]).toMatchObject({
      Type: 'Wait',
      Seconds: '{% $floor($random() * $min([10, 2 * $states.input.crowded])) + 1 %}',
      Next: name,
    });
  }
});

test('every step retries service errors and its own failures, with backoff and jitter, inside a spot notice', () => {
  for (const name of ['Begin drain', 'Check drain', 'End drain']) {
    const retries = states[name]?.Retry ?? [];
    expect(retries.map(({ ErrorEquals }) => ErrorEquals)).toEqual([
      ['Lambda.TooManyRequestsException'],
      ['Lambda.ServiceException', 'Lambda.AWSLambdaException', 'Lambda.SdkClientException'],
      ['States.TaskFailed'],
    ]);
    for (const { ErrorEquals, ...retry } of retries.slice(1)) {
      const isPatient = name === 'End drain' && ErrorEquals[0] === 'States.TaskFailed';
      expect(retry).toMatchObject({ BackoffRate: 2, MaxDelaySeconds: isPatient ? 60 : 10, JitterStrategy: 'FULL' });
    }
  }
});

test('the end is tried through an outage of an hour, because nothing comes after it', () => {
  const last = states['End drain']?.Retry?.at(-1);
  // Full jitter: half of each pause on average.
  const pauses = Array.from({ length: last?.MaxAttempts ?? 0 }, (_, index) => Math.min(60, 2 * 2 ** index) / 2);
  expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThan(3_800);
});

test('the machine gives up after the 48 hours that a hook can hold an instance', () => {
  expect(definition.TimeoutSeconds).toBe(48 * 3600);
});

test('errors are logged without the data of the execution', () => {
  template.hasResourceProperties('AWS::StepFunctions::StateMachine', {
    StateMachineName: 'holdfast-drain',
    LoggingConfiguration: { Level: 'ERROR', IncludeExecutionData: false, Destinations: Match.anyValue() },
  });
});

test('the machine may invoke the three functions and nothing else', () => {
  const functions = Object.keys(template.findResources('AWS::Lambda::Function'));
  const policies = Object.values(template.findResources('AWS::IAM::Policy'));
  const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement);
  const invoked = statements.filter(({ Action }) => Action === 'lambda:InvokeFunction').flatMap(({ Resource }) => JSON.stringify(Resource));
  const other = statements.filter(({ Action }) => Action !== 'lambda:InvokeFunction').flatMap(({ Action }) => Action);
  for (const name of functions) expect(invoked.some((resource) => resource.includes(`"${name}"`))).toBe(true);
  expect(
    invoked
      .join()
      .match(/"Fn::GetAtt":\["(\w+)"/g)
      ?.every((found) => functions.some((name) => found.includes(name))),
  ).toBe(true);
  expect(other.every((action: string) => action.startsWith('logs:'))).toBe(true);
});
