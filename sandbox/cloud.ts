import { type ApiCall, ApiError, type Caller } from './api.ts';
import { type CallLog, createCallLog } from './call-log.ts';
import { createPipeline, internalError, type Outcome, type PipelineOptions } from './call-pipeline.ts';
import { encode, encodeError, readInput, unknownOperation } from './wire/codec.ts';
import type { WireRequest, WireResponse } from './wire/http.ts';
import { identify, type WireTarget } from './wire/target.ts';

export type CloudOptions = PipelineOptions & { readonly log?: CallLog };

/** What becomes of a request: an answer, an answer that never arrives, or the death of the caller. */
type CloudAnswer =
  | { readonly kind: 'answer'; readonly response: WireResponse }
  | { readonly kind: 'lost'; readonly as: 'reset' | 'timeout' }
  | { readonly kind: 'crashed' };

export type Cloud = {
  /** A request as it came over the wire. `accessKeyId` says who calls, whatever the signature says. */
  handleHttp(request: WireRequest, accessKeyId?: string): Promise<CloudAnswer>;
  /**
   * The same way without the wire, for integrations inside the cloud (a state machine's task, a rule's target).
   * @throws ApiError as the service would answer it, AnswerLost when a fault took the answer.
   */
  call(call: ApiCall): Promise<unknown>;
  /** From now on this access key acts as that role. All keys that are not registered are the operator's. */
  registerCaller(accessKeyId: string, roleName: string): void;
  readonly log: CallLog;
};

/** The answer to a call inside the cloud was taken by a fault; the call may have been applied. */
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

/** Writes outcomes in the form of the caller's protocol, each under a request id of its own. */
const createAnswers = () => {
  let requests = 0;
  const nextRequestId = (): string => {
    requests += 1;
    return `00000000-0000-4000-8000-${String(requests).padStart(12, '0')}`;
  };
  const refuse = async (target: WireTarget, error: ApiError): Promise<CloudAnswer> => ({
    kind: 'answer',
    response: await encodeError(target, error, nextRequestId()),
  });
  const respond = async (target: WireTarget, outcome: Outcome): Promise<CloudAnswer> => {
    if (outcome.kind === 'lost' || outcome.kind === 'crashed') return outcome;
    if (outcome.kind === 'error') return refuse(target, outcome.error);
    try {
      return { kind: 'answer', response: await encode(target, outcome.output, nextRequestId()) };
    } catch (error) {
      return refuse(target, internalError({ service: target.protocol.service, operation: target.operation }, error));
    }
  };
  return { refuse, respond };
};

/** The front of the simulated cloud: one door for the SDK, the AWS CLI, boto3 and the integrations inside. */
export const createCloud = (options: CloudOptions): Cloud => {
  const log = options.log ?? createCallLog({ clock: options.clock });
  const pipeline = createPipeline(options, log);
  const callers = createCallers();
  const answers = createAnswers();

  const read = async (target: WireTarget, request: WireRequest, caller: Caller): Promise<ApiCall> => {
    const named = { service: target.protocol.service, operation: target.operation, caller };
    if (!target.isKnown || !pipeline.isSimulated(named)) throw unknownOperation(target);
    return { ...named, input: await readInput(target, request) };
  };
  /** A call that never reached its service is in the log too: what is not simulated must be easy to find. */
  const refuse = (target: WireTarget, caller: Caller, error: unknown): Promise<CloudAnswer> => {
    const named = { service: target.protocol.service, operation: target.operation, caller };
    const refused = error instanceof ApiError ? error : internalError(named, error);
    log.begin(named)({ outcome: refused.code, applied: false });
    return options.clock.busy(answers.refuse(target, refused));
  };
  const handleHttp: Cloud['handleHttp'] = async (request, accessKeyId) => {
    const target = identify(request);
    const caller = callers.of(accessKeyId ?? target.accessKeyId);
    let call: ApiCall;
    try {
      call = await options.clock.busy(read(target, request, caller));
    } catch (error) {
      return refuse(target, caller, error);
    }
    return answers.respond(target, await pipeline.perform(call, request.headers['x-amz-security-token']));
  };
  const call: Cloud['call'] = async (direct) => {
    const name = `${direct.service}:${direct.operation}`;
    if (!pipeline.isSimulated(direct)) throw new ApiError('UnknownOperationException', `The sandbox does not simulate ${name}.`);
    const outcome = await pipeline.perform(direct);
    if (outcome.kind === 'ok') return outcome.output;
    throw outcome.kind === 'error' ? outcome.error : new AnswerLost(direct);
  };
  return { handleHttp, call, registerCaller: callers.register, log };
};
