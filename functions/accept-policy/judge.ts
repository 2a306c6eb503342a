import { allSettled } from '../../aws/calls/in-parallel.ts';
import type { PolicyVersion, WrittenPolicy } from '../../core/policy/ports.ts';
import { type Problem, problemOf, showFound } from '../../core/policy/problem.ts';
import { fieldOf } from '../../core/policy/reading.ts';
import { type LookedUp, namesIn } from '../../core/policy/resolution.ts';
import { resolutionWarnings, resolveGroup } from '../../core/policy/resolve.ts';
import type { Policy } from '../../core/policy/schema.ts';
import { validatePolicy } from '../../core/policy/validate.ts';
import type { RegistryEntry } from '../../core/ports/state-store.ts';
import { type NamedAsg, takenProblem } from './claim-asgs.ts';
import type { AcceptPolicyPorts } from './ports.ts';
import { readDocument } from './read-document.ts';
import { asgsOf } from './registry-entry.ts';

/** A policy without its number, which it gets when it is stored. */
export type Candidate = Omit<PolicyVersion, 'version' | 'acceptedAtMs'>;

export type Verdict =
  | {
      readonly kind: 'acceptable';
      readonly candidate: Candidate;
      readonly asgs: readonly NamedAsg[];
      readonly warnings: readonly Problem[];
      /** Auto Scaling groups whose process `Launch` is suspended, by their owners or by Holdfast. */
      readonly closed: readonly string[];
      /** The entry that the registry has for the group so far. */
      readonly entry: RegistryEntry | undefined;
    }
  | {
      readonly kind: 'unacceptable';
      readonly problems: readonly Problem[];
      /** The Auto Scaling groups that other groups hold, if nothing else is wrong. */
      readonly asgs?: readonly string[];
    };

/** Reads, validates and resolves the written policy. Throws only when AWS does not respond. */
export const judge = async (
  group: string,
  written: WrittenPolicy,
  ports: Pick<AcceptPolicyPorts, 'store' | 'resolver'>,
): Promise<Verdict> => {
  const reading = readDocument(written.document, written.others);
  if (reading.kind === 'unreadable') return { kind: 'unacceptable', problems: reading.problems };
  const { document } = reading;
  const validation = validatePolicy(document);
  const naming = nameProblems(group, document);
  if (validation.kind === 'invalid') return { kind: 'unacceptable', problems: [...validation.problems, ...naming] };
  if (naming.length > 0) return { kind: 'unacceptable', problems: naming };
  const { policy, warnings } = validation;
  const [resolution, registry] = await allSettled([ports.resolver.lookUp(namesIn(policy)), ports.store.registry()]);
  return resolved({ group, document, policy, warnings, resolution, registry });
};

type Looked = {
  readonly group: string;
  readonly document: unknown;
  readonly policy: Policy;
  readonly warnings: readonly Problem[];
  readonly resolution: LookedUp;
  readonly registry: readonly RegistryEntry[];
};

const resolved = ({ group, document, policy, warnings, resolution, registry }: Looked): Verdict => {
  const outcome = resolveGroup(policy, resolution, 0);
  const held = takenAsgs(policy, group, registry);
  const taken = held.map((one) => takenProblem(one, `which group ${one.holder} holds`));
  if (outcome.kind === 'unresolved') return { kind: 'unacceptable', problems: [...outcome.problems, ...taken] };
  const { sold: _, images: _images, scalers: _others, evensOut: _evens, closed = [], ...kept } = resolution;
  const candidate = { group, document, resolution: kept, resolved: outcome.group };
  const problems = [...taken, ...sizeProblems(candidate)];
  if (problems.length > taken.length) return { kind: 'unacceptable', problems };
  return problems.length > 0
    ? { kind: 'unacceptable', problems, asgs: held.map(({ asg }) => asg) }
    : {
        kind: 'acceptable',
        candidate,
        asgs: asgsOf(policy),
        warnings: [...warnings, ...resolutionWarnings(policy, resolution)],
        closed,
        entry: registry.find((entry) => entry.group === group),
      };
};

/** The key of the item names the group. A document for another group under that key is an error. */
const nameProblems = (group: string, document: unknown): readonly Problem[] => {
  const name = fieldOf(document, 'group');
  if (typeof name !== 'string' || name === group) return [];
  return [
    problemOf({
      path: ['group'],
      found: showFound(name),
      allowed: `${showFound(group)}, the partition key of the item`,
    }),
  ];
};

/** Two groups in one Auto Scaling group would terminate each other's instances. */
const takenAsgs = (
  policy: Policy,
  group: string,
  registry: readonly RegistryEntry[],
): readonly (NamedAsg & { readonly holder: string })[] => {
  const holders = new Map(
    registry
      .filter((entry) => entry.group !== group)
      .flatMap((entry) => entry.asgs.map((asg) => [asg, entry.group] as const)),
  );
  return asgsOf(policy).flatMap((named) => {
    const holder = holders.get(named.asg);
    return holder === undefined ? [] : [{ ...named, holder }];
  });
};

/** A DynamoDB item holds 400 KB; a version is one item. */
const mostKilobytes = 300;

/** Defaults are merged into every pool, so the resolved group may be much larger than the document. */
const sizeProblems = (candidate: Candidate): readonly Problem[] => {
  const kilobytes = Math.ceil(Buffer.byteLength(JSON.stringify(candidate)) / 1024);
  if (kilobytes <= mostKilobytes) return [];
  return [
    problemOf({
      path: [],
      found: `${kilobytes} KB with defaults in every pool`,
      allowed: `at most ${mostKilobytes} KB`,
    }),
  ];
};
