import { AttachInstancesCommand } from '@aws-sdk/client-auto-scaling';
import { CreateTagsCommand } from '@aws-sdk/client-ec2';
import { groupTagValue, joinedTagValue, tags } from '../../core/contract.ts';
import { attachedPerCall } from '../../core/decide/admissions.ts';
import type { ActionResult, Admitted, Admitting } from '../../core/ports/capacity-provider.ts';
import { chunks } from '../calls/chunks.ts';
import { attachedTo, codeOf, isNotDone, messageOf, troubleOf } from '../calls/errors.ts';
import { inParallel } from '../calls/in-parallel.ts';
import { unlessTroubled } from '../calls/unless-troubled.ts';
import { actOn, ordinaryVerdict, together, type Verdict } from './act-on.ts';
import { describeAsgs } from './auto-scaling-groups.ts';
import {
  joinedHere,
  leaveOutOfNotes,
  notedWithinMs,
  notNotedYet,
  rememberJoined,
  rememberNoted,
} from './joined-here.ts';
import type { ProviderDeps } from './provider-deps.ts';

/** Calls under way for one group: enough that fifty of them fit into an invocation. */
const callsAtOnce = 4;
/** Resources that one CreateTags call takes. */
const tagsPerCall = 1_000;

/** An instance that is in this group already counts as attached. One in another group is not ours to move. */
const verdict = (asg: string, error: unknown): Verdict => {
  const holder = attachedTo(error);
  if (holder === undefined) {
    const ordinary = ordinaryVerdict(error);
    return ordinary === 'done' ? { code: codeOf(error), retry: 'never' } : ordinary;
  }
  return holder === asg ? 'done' : { code: codeOf(error), retry: 'never' };
};

/** Instances that an Auto Scaling group shows as its own. None if it cannot be read now. */
const heldBy = async (client: ProviderDeps['autoScaling'], asg: string): Promise<ReadonlySet<string>> => {
  const [found] = (await unlessTroubled(describeAsgs(client, [asg]))) ?? [];
  return new Set(found?.standings.keys());
};

/**
 * Attaches running instances. Each call raises the desired capacity by the instances it attaches, and fails as a whole
 * beyond the maximum size. In that case, and when an instance is not running yet, it is tried again later. No call
 * follows one that was throttled.
 *
 * Two functions may attach the same instances, because a message can come twice. Then the group refuses the call of the
 * second one, and names one instance at a time. So the members of the group are read once, and only the others are
 * attached.
 */
export const attachMembers = async (
  { autoScaling }: Pick<ProviderDeps, 'autoScaling'>,
  asg: string,
  instances: readonly string[],
): Promise<Admitted> => {
  const errors: unknown[] = [];
  let throttled: unknown;
  let held: Promise<ReadonlySet<string>> | undefined;
  const attach = async (ids: readonly string[]): Promise<void> => {
    const members = await held;
    const others = ids.filter((id) => members?.has(id) !== true);
    if (others.length === 0) return;
    if (throttled !== undefined) throw throttled;
    try {
      await autoScaling.send(new AttachInstancesCommand({ AutoScalingGroupName: asg, InstanceIds: others }));
    } catch (error) {
      errors.push(error);
      if (troubleOf(error) === 'throttled') throttled = error;
      if (attachedTo(error) === asg && ids.length > 1) held ??= heldBy(autoScaling, asg);
      throw error;
    }
  };
  const parts = await inParallel(chunks(instances, attachedPerCall), callsAtOnce, (part) =>
    actOn(part, attach, (error) => verdict(asg, error)),
  );
  return { ...together(parts), ...(!errors.every(isNotDone) && { mayBeDone: true }) };
};

/**
 * Tags members as joined. The tag separates instances that a user detached from those that are still to be attached.
 * EC2 refuses a call as a whole for one instance that is no member any more. The others are tagged at once without it.
 */
export const noteJoined = async (
  deps: ProviderDeps,
  group: string,
  asg: string,
  instances: readonly string[],
): Promise<void> => {
  const Tags = [
    { Key: tags.group, Value: groupTagValue(deps.deployment, group) },
    { Key: tags.joined, Value: joinedTagValue(asg, deps.now()) },
  ];
  let refusal: unknown;
  const tag = (ids: readonly string[]): Promise<unknown> =>
    deps.ec2.send(new CreateTagsCommand({ Resources: [...ids], Tags })).catch((error: unknown) => {
      refusal = error;
      throw error;
    });
  for (const part of chunks(instances, tagsPerCall)) {
    // The members have joined, whatever becomes of their tags.
    const { done, failed } = await actOn(part, tag).catch((): ActionResult => ({ done: [], failed: [] }));
    const refused = failed.filter(({ retry }) => retry === 'never').map(({ instance }) => instance);
    rememberNoted(deps.autoScaling, done);
    leaveOutOfNotes(deps.autoScaling, refused);
    if (done.length === part.length) continue;
    const tagged = new Set(done);
    deps.note(
      'Members joined their Auto Scaling group without our tag: a member that is detached later is attached again.',
      {
        instances: part.filter((instance) => !tagged.has(instance)),
        code: codeOf(refusal),
        reason: messageOf(refusal),
      },
    );
  }
};

/**
 * Members that other environments attached, and that still fit into the calls for these. Their environments may not
 * look again before a user detaches them.
 */
const alsoNoted = (
  { autoScaling }: Pick<ProviderDeps, 'autoScaling'>,
  ids: readonly string[],
  unnoted: readonly string[],
): readonly string[] => {
  const room = Math.ceil(ids.length / tagsPerCall) * tagsPerCall - ids.length;
  return unnoted.filter((id) => joinedHere(autoScaling, id) === undefined).slice(0, room);
};

/**
 * Remembers members that joined, and tags them. While others are coming, the tags wait for these, so that calls do not
 * grow with looks.
 */
export const noteTogether = async (
  deps: ProviderDeps,
  { group, asg }: { readonly group: string; readonly asg: string },
  joined: readonly string[],
  { moreCome = false, unnoted = [] }: Pick<Admitting, 'moreCome' | 'unnoted'>,
): Promise<void> => {
  const nowMs = deps.now();
  rememberJoined(deps.autoScaling, joined, { asg, atMs: nowMs });
  const waiting = notNotedYet(deps.autoScaling, asg);
  if (moreCome && waiting.every(({ atMs }) => nowMs - atMs < notedWithinMs)) return;
  const ids = waiting.map(({ id }) => id);
  if (ids.length === 0) return;
  const others = alsoNoted(deps, ids, unnoted);
  rememberJoined(deps.autoScaling, others, { asg, atMs: nowMs });
  await noteJoined(deps, group, asg, [...ids, ...others]);
};
