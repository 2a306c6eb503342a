import type { Place } from '../api.ts';
import type { TemplateSpecification } from '../world/ec2/launch-templates.ts';
import type { TemplateContents } from '../world/spec.ts';

/** What a call needs to be allowed: one action on one resource. A call may need several, and all must be allowed. */
export type AccessCheck = {
  /** With the service's prefix, for example `ec2:RunInstances`. */
  readonly action: string;
  /** As the service authorization reference names it; absent for actions that have no resources. */
  readonly resourceType?: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, readonly string[]>>;
};

export type CheckDeps = {
  readonly place: Place;
  /** By instance id or ARN. In the ARN of an Auto Scaling group the unique id is `*`: names are what calls carry. */
  readonly tagsOf: (resource: string) => Readonly<Record<string, string>> | undefined;
  /** The contents of a version of a launch template. A launch needs rights on all of them. Undefined when there is no such template. */
  readonly templateOf: (reference: TemplateSpecification) => TemplateContents | undefined;
};

type Input = Readonly<Record<string, unknown>>;
/** Returns the rights that an operation needs, from its input. */
export type DeriveChecks = (input: Input, deps: CheckDeps) => readonly AccessCheck[];

export const arnOf = ({ place }: CheckDeps, service: string, rest: string): string => `arn:aws:${service}:${place.region}:${place.accountId}:${rest}`;

export type Tag = { readonly Key?: string; readonly Value?: string };

/** Tags in the request: each under its own key, and the keys together. */
export const requestTags = (tags: readonly Tag[]): AccessCheck['context'] => {
  if (tags.length === 0) return {};
  const own = Object.fromEntries(tags.map(({ Key = '', Value = '' }) => [`aws:RequestTag/${Key}`, [Value]]));
  return { ...own, 'aws:TagKeys': tags.map(({ Key = '' }) => Key) };
};

/** Tags on the resource, under IAM's own prefix and the service's. */
export const resourceTags = (prefix: string, tags: Readonly<Record<string, string>> | undefined): AccessCheck['context'] =>
  Object.fromEntries(
    Object.entries(tags ?? {}).flatMap(([key, value]) => [
      [`aws:ResourceTag/${key}`, [value]],
      [`${prefix}:ResourceTag/${key}`, [value]],
    ]),
  );

export const strings = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
