import { type ApiCall, ApiError, type Caller } from './api.ts';
import { type CallLog, createCallLog } from './call-log.ts';
import { createPipeline, internalError, type Outcome, type PipelineOptions } from './call-pipeline.ts';
import { encode, encodeError, readInput, unknownOperation } from './wire/codec.ts';
import type { WireRequest, WireResponse } from './wire/http.ts';
import { errorOf, inputOf, outputOf, unknownValue, type ValueAnswer, type ValueRequest } from './wire/in-memory.ts';
import { identify, type WireTarget } from './wire/target.ts';

export type CloudOptions = PipelineOptions & { readonly log?: CallLog };

/** The fate of a request: a response, a response that never arrives, or the death of the caller. */
type Fate<Answer> =
  | { readonly kind: 'answer'; readonly response: Answer }
  | { readonly kind: 'lost'; readonly as: 'reset' | 'timeout' }
  | { readonly kind: 'crashed' };

export type Cloud = {
  /** A request as it came over the wire. `accessKeyId` says who calls, whatever the signature says. */
  handleHttp(request: WireRequest, accessKeyId?: string): Promise<Fate<WireResponse>>;
  /** A request in values instead of text, from an SDK client in the same process. `environment` is the session token of its credentials. */
  handleValues(request: ValueRequest, accessKeyId: string, environment?: string): Promise<Fate<ValueAnswer>>;
  /**
   * The same without the wire, for integrations inside the cloud (a state machine's task, a rule's target).
   * @throws ApiError as the service returns it, AnswerLost if a fault took the response.
   */
  call(call: ApiCall): Promise<unknown>;
  /** From now on this access key acts as that role. Keys that are not registered belong to the operator. */
  registerCaller(accessKeyId: string, roleName: string): void;
  readonly log: CallLog;
};

/** A fault took the response to a call inside the cloud. The call may have been applied. */
export class AnswerLost extends Error {
  constructor(call: ApiCall) {
    super(`The answer to ${call.service}:${call.operation} was lost; the call may have been applied`);
    this.name = 'AnswerLost';
  }
}

const createCallers = () => {
  const roles = new Map<string, string>();
  return {
    register: (accessKeyId: string, roleName: string): void => {
      roles.set(accessKeyId, roleName);
    },
    of: (accessKeyId: string | undefined): Caller => {
      const name = accessKeyId === undefined ? undefined : roles.get(accessKeyId);
      return name === undefined ? { kind: 'operator' } : { kind: 'role', name };
    },
  };
};

/** A request in the form in which it arrived: its operation, how its input is read, and how its response is written. */
type Exchange<Answer> = {
  readonly service: string;
  readonly operation: string;
  /** @throws ApiError for what is not known, and for input that the service would refuse. */
  readInput(): Promise<Record<string, unknown>>;
  unknown(): ApiError;
  answer(output: unknown, requestId: string): Promise<Answer>;
  refuse(error: ApiError, requestId: string): Promise<Answer>;
};

const overHttp = (target: WireTarget, request: WireRequest): Exchange<WireResponse> => ({
  service: target.protocol.service,
  operation: target.operation,
  readInput: async () => {
    // For example SQS in the query protocol, which clients spoke before they spoke JSON: its operations exist, its input cannot be read.
    if (!target.isKnown) throw unknownOperation(target);
    return readInput(target, request);
  },
  unknown: () => unknownOperation(target),
  answer: (output, requestId) => encode(target, output, requestId),
  refuse: (error, requestId) => encodeError(target, error, requestId),
});

const inValues = (request: ValueRequest): Exchange<ValueAnswer> => ({
  service: request.protocol.service,
  operation: request.operation,
  readInput: () => inputOf(request),
  unknown: () => unknownValue(request),
  answer: (output, requestId) => outputOf(request, output, requestId),
  refuse: (error, requestId) => errorOf(request, error, requestId),
});

/** Writes outcomes in the form of the caller, each under a request id of its own. */
const createAnswers = () => {
  let requests = 0;
  const nextRequestId = (): string => {
    requests += 1;
    return `00000000-0000-4000-8000-${String(requests).padStart(12, '0')}`;
  };
  const refuse = async <Answer>(exchange: Exchange<Answer>, error: ApiError): Promise<Fate<Answer>> => ({
    kind: 'answer',
    response: await exchange.refuse(error, nextRequestId()),
  });
  const respond = async <Answer>(exchange: Exchange<Answer>, outcome: Outcome): Promise<Fate<Answer>> => {
    if (outcome.kind === 'lost' || outcome.kind === 'crashed') return outcome;
    if (outcome.kind === 'error') return refuse(exchange, outcome.error);
    try {
      return { kind: 'answer', response: await exchange.answer(outcome.output, nextRequestId()) };
    } catch (error) {
      return refuse(exchange, internalError(exchange, error));
    }
  };
  return { refuse, respond };
};

/** The entry of the simulated cloud, for the SDK, the AWS CLI, boto3 and the integrations inside. */
export const createCloud = (options: CloudOptions): Cloud => {
  const log = options.log ?? createCallLog({ clock: options.clock });
  const pipeline = createPipeline(options, log);
  const callers = createCallers();
  const answers = createAnswers();

  const read = async (exchange: Exchange<unknown>, caller: Caller): Promise<ApiCall> => {
    if (!pipeline.isSimulated(exchange)) throw exchange.unknown();
    return { service: exchange.service, operation: exchange.operation, caller, input: await exchange.readInput() };
  };
  /** A call that never reached its service is in the log too, so that a call that is not simulated is easy to find. */
  const refuse = <Answer>(exchange: Exchange<Answer>, caller: Caller, error: unknown): Promise<Fate<Answer>> => {
    const refused = error instanceof ApiError ? error : internalError(exchange, error);
    log.begin({ service: exchange.service, operation: exchange.operation, caller })({ outcome: refused.code, applied: false });
    return options.clock.busy(answers.refuse(exchange, refused));
  };
  const handle = async <Answer>(exchange: Exchange<Answer>, caller: Caller, environment: string | undefined): Promise<Fate<Answer>> => {
    let call: ApiCall;
    try {
      call = await options.clock.busy(read(exchange, caller));
    } catch (error) {
      return refuse(exchange, caller, error);
    }
    return answers.respond(exchange, await pipeline.perform(call, environment));
  };
  const handleHttp: Cloud['handleHttp'] = (request, accessKeyId) => {
    const target = identify(request);
    return handle(overHttp(target, request), callers.of(accessKeyId ?? target.accessKeyId), request.headers['x-amz-security-token']);
  };
  const handleValues: Cloud['handleValues'] = (request, accessKeyId, environment) => handle(inValues(request), callers.of(accessKeyId), environment);
  const call: Cloud['call'] = async (direct) => {
    const name = `${direct.service}:${direct.operation}`;
    if (!pipeline.isSimulated(direct)) throw new ApiError('UnknownOperationException', `The sandbox does not simulate ${name}.`);
    const outcome = await pipeline.perform(direct);
    if (outcome.kind === 'ok') return outcome.output;
    throw outcome.kind === 'error' ? outcome.error : new AnswerLost(direct);
  };
  return { handleHttp, handleValues, call, registerCaller: callers.register, log };
};
