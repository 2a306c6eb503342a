/** One AWS API call inside the sandbox, after the wire was decoded and before it is encoded again. */
export type ApiCall = {
  /** As in IAM action prefixes: `ec2`, `autoscaling`, `elasticloadbalancing`, `dynamodb`, `sqs`, `states`, `events`, `sts`. */
  readonly service: string;
  /** For example `CreateFleet`. */
  readonly operation: string;
  /** Members named as in the API's own shapes (and so as in the SDK's commands), numbers and dates already parsed. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
};

/** EC2 alone has dry runs. */
export const isDryRun = ({ service, input }: Pick<ApiCall, 'service' | 'input'>): boolean => service === 'ec2' && input.DryRun === true;

/** Who calls: a function of the stack (checked against its synthesized role), a state machine's role, or the operator (may do everything). */
export type Caller =
  | { readonly kind: 'role'; readonly name: string }
  /** `as`: which operator, if several act by hand or by their own scripts. */
  | { readonly kind: 'operator'; readonly as?: string };

/** A modelled service error: thrown by a service, encoded by the wire in the protocol's own form. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  /** Extra members of the error's shape. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, status = 400, members: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = code;
    this.code = code;
    this.status = status;
    this.members = members;
  }
}

/** One simulated AWS service. The response to an operation that is not in the table is an error that names it, never an empty success. */
export type ApiService = {
  readonly service: string;
  readonly operations: Readonly<Record<string, (input: Record<string, unknown>, caller: Caller) => unknown>>;
};

/** An event as the bus has it. */
export type BusEvent = {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  /** ISO 8601, seconds. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
};

/** Where the world puts what AWS services would emit (best effort: faults may drop, repeat, delay or reorder it). */
export type Emit = (event: Pick<BusEvent, 'detail-type' | 'source' | 'resources' | 'detail'>) => void;

/** The account and region of the world. */
export type Place = { readonly accountId: string; readonly region: string };
