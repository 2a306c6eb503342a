import type { Cloud } from './cloud.ts';
import type { CloudName } from './cloud-names.ts';

/**
 * One thing that Holdfast relies on in one AWS call, as AWS documents it.
 * On a cloud under `differs` the check must fail, and the text says how that cloud behaves; once it agrees, the entry is stale and the test says so.
 * On a cloud under `cannot` it is not run, and the text says why.
 */
export type Expectation = {
  /** As AWS names the call. */
  readonly call: string;
  /** What AWS does, after the name of the call. */
  readonly rule: string;
  /** AWS's page that says so. */
  readonly source: string;
  readonly check: (cloud: Cloud) => Promise<void>;
  readonly differs?: Readonly<Partial<Record<CloudName, string>>>;
  readonly cannot?: Readonly<Partial<Record<CloudName, string>>>;
};

/** What became of an expectation on one cloud. */
export type Finding = {
  readonly service: string;
  readonly call: string;
  readonly rule: string;
  readonly source: string;
  readonly cloud: CloudName;
  readonly verdict: 'agrees' | 'differs' | 'cannot';
  readonly how?: string;
};

/** The error of a call that must fail. */
export const refusal = async (call: Promise<unknown>): Promise<Error> => {
  const outcome = await call.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome) return outcome.error as Error;
  throw new Error(`The call was accepted: ${JSON.stringify(outcome.answer)?.slice(0, 200)}`);
};
