import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { EC2Client } from '@aws-sdk/client-ec2';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';

type Input = Record<string, unknown>;
/** What a call is answered with, by operation. A function may throw {@link awsError}; a list answers one call after the other, its last one all further. */
type Answer = object | ((input: never) => object);
export type Answers = Readonly<Record<string, Answer | readonly Answer[]>>;

/** An error as the SDK throws it for an answer of the service. */
export const awsError = (code: string, message = code, status = 400): Error =>
  Object.assign(new Error(message), { name: code, $fault: status < 500 ? 'client' : 'server', $metadata: { httpStatusCode: status } });

export const failsWith =
  (code: string, message?: string, status?: number): (() => never) =>
  () => {
    throw awsError(code, message, status);
  };

/** A pause that lasts longer than any call. */
export const longPause = (): Promise<void> => new Promise(() => undefined);

type Stack = { add(middleware: unknown, options: { step: 'initialize'; priority: 'high'; name: string }): void };

/** Real clients whose commands are answered before they reach the wire. A call without an answer fails the test. */
export const createFakeAws = (answers: Answers) => {
  const calls: { readonly operation: string; readonly input: Input }[] = [];
  const answer = (operation: string, input: Input): unknown => {
    const count = calls.filter((call) => call.operation === operation).length;
    // A paginator changes one input from page to page.
    calls.push({ operation, input: { ...input } });
    const given = answers[operation];
    if (given === undefined) throw new Error(`no answer for ${operation}`);
    const one = Array.isArray(given) ? given[Math.min(count, given.length - 1)] : given;
    return typeof one === 'function' ? (one as (input: Input) => unknown)(input) : one;
  };
  const intercepted = <Client extends { readonly middlewareStack: unknown }>(client: Client): Client => {
    const middleware = (_next: unknown, context: { readonly commandName: string }) => async (args: { readonly input: Input }) => ({
      response: {},
      output: answer(context.commandName.replace(/Command$/, ''), args.input),
    });
    (client.middlewareStack as Stack).add(middleware, { step: 'initialize', priority: 'high', name: 'fakeAws' });
    return client;
  };
  const config = { region: 'eu-west-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  return {
    calls,
    inputsOf: (operation: string): readonly Input[] => calls.filter((call) => call.operation === operation).map(({ input }) => input),
    ec2: intercepted(new EC2Client(config)),
    autoScaling: intercepted(new AutoScalingClient(config)),
    elb: intercepted(new ElasticLoadBalancingV2Client(config)),
    sqs: intercepted(new SQSClient(config)),
    sfn: intercepted(new SFNClient(config)),
    events: intercepted(new EventBridgeClient(config)),
  };
};
