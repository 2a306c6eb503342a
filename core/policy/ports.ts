import type { Group } from '../group/group.ts';
import type { RegistryEntry } from '../ports/state-store.ts';
import type { Suspension } from '../view/suspension.ts';
import type { Problem } from './problem.ts';
import type { LookedUp, Names, Resolution } from './resolution.ts';

/**
 * A numbered version of a group's policy: the user's document, what AWS returned about the names in it, and the group
 * made from both.
 */
export type PolicyVersion = {
  readonly group: string;
  readonly version: number;
  readonly acceptedAtMs: number;
  readonly document: unknown;
  readonly resolution: Resolution;
  readonly resolved: Group;
  /**
   * Only the item of the version in force has it: versions that came into force, and were not sent to the bus yet.
   * Absent: none.
   */
  readonly untold?: readonly UntoldVersion[];
};

/** A version that came into force, with the first warnings about it. */
export type UntoldVersion = { readonly version: number; readonly warnings: readonly string[] };

/** The result of the last write to a group's policy item. Users read it in the console. */
export type PolicyStatus = {
  readonly group: string;
  readonly status: 'accepted' | 'rejected' | 'let-go';
  /** The outcome and, when the policy was rejected, the first reasons. */
  readonly message: string;
  /**
   * SHA-256 of the judged policy, so that a client can wait for the status of its own write. Where `policy` is text, it
   * is of this text. Where it is a map, it is of its JSON with the keys of every map in order. Absent when nothing was
   * written.
   */
  readonly digest?: string;
  /** The version in force. Absent when there is none. */
  readonly version?: number;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly atMs: number;
};

/**
 * Which group holds an Auto Scaling group. Each claim is one item, written before a policy that names the Auto Scaling
 * group comes into force.
 */
export type AsgClaim = {
  readonly asg: string;
  readonly group: string;
  readonly atMs: number;
  /** Groups that held it before, the latest first. The holder puts back what they changed and did not put back. */
  readonly before: readonly string[];
  /** Its group was deleted, or its policy was refused for another reason: any group may claim it. */
  readonly released?: boolean;
  /** Groups whose policies were rejected because of this claim alone. They are judged again when it is released. */
  readonly waiting?: readonly string[];
};

/** A policy item as it stands: the attribute `policy`, and the names of attributes that Holdfast does not read. */
export type WrittenPolicy = { readonly document: unknown; readonly others: readonly string[] };

/**
 * Auto Scaling groups that a group's state remembers: those that its policy or an earlier one named, until they are
 * empty and put back. `policyVersion`: the latest policy that the state knows.
 */
export type Remembered = {
  readonly policyVersion: number;
  readonly asgs: readonly string[];
  /** Processes of Auto Scaling groups that Holdfast suspends for a while. Absent: none. */
  readonly suspended?: readonly Suspension[];
};

/**
 * Policy items and what is made from them. Reads are consistent. A write that a later version overtook returns a value
 * instead of throwing.
 */
export type PolicyStore = {
  /** The user's document as the table holds it now. Undefined when there is no item. */
  written(group: string): Promise<WrittenPolicy | undefined>;
  accepted(group: string): Promise<PolicyVersion | undefined>;
  /** The version with the highest number, in force or not. */
  latest(group: string): Promise<PolicyVersion | undefined>;
  /** Stores a version under its number. The number must be free. */
  addVersion(version: PolicyVersion): Promise<'done' | 'conflict'>;
  /** Puts a version in force, unless a version with a higher number is in force. */
  putInForce(version: PolicyVersion): Promise<'done' | 'conflict'>;
  /** Notes that all its events were sent. Writes nothing if another version is in force by now. */
  noteTold(version: PolicyVersion): Promise<'done' | 'conflict'>;
  removeInForce(group: string): Promise<void>;
  putStatus(status: PolicyStatus): Promise<void>;
  /** Writes beside the status the problems that the version in force would have today. */
  putRefusedNow(group: string, version: number, problems: readonly Problem[], atMs: number): Promise<void>;
  registry(): Promise<readonly RegistryEntry[]>;
  /** What a group's state says about Auto Scaling groups. Undefined: there is no state, or it cannot be read. */
  holders(group: string): Promise<Remembered | undefined>;
  claimOf(asg: string): Promise<AsgClaim | undefined>;
  /** The claims that groups wait for. */
  waitedFor(): Promise<readonly AsgClaim[]>;
  /** Writes a claim unless it has changed since it was read (undefined: there was none). */
  claim(claim: AsgClaim, seen: AsgClaim | undefined): Promise<'done' | 'conflict'>;
  register(entry: RegistryEntry): Promise<void>;
};

/**
 * Looks up the names of a policy in AWS. Throws when AWS does not respond. A name that AWS does not know is absent from
 * the resolution.
 */
export type PolicyResolver = { lookUp(names: Names): Promise<LookedUp> };

/** Sends a message that a group's policy was written, and when, as far as that is known. */
export type PolicyChanges = { tell(group: string, atMs: number, writtenAtMs?: number): Promise<void> };
