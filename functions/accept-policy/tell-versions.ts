import { rememberedByKey } from '../../aws/calls/remembered.ts';
import { announcements } from '../../core/contract.ts';
import type { PolicyVersion, UntoldVersion } from '../../core/policy/ports.ts';
import type { Announcement } from '../../core/ports/surroundings.ts';
import type { AcceptPolicyPorts } from './ports.ts';

type Ports = Pick<AcceptPolicyPorts, 'announcer' | 'store'>;

export const acceptanceOf = (group: string, detail: UntoldVersion): Announcement => ({
  detailType: announcements.policyAccepted,
  group,
  detail,
});

/**
 * Sends the events of versions that an interrupted run put in force without sending them, before any step that may
 * fail. A new policy does not wait for a bus that fails. The events stay noted then, and are sent with those of this
 * run.
 */
export const tellAtOnce = async (version: PolicyVersion | undefined, ports: Ports) => {
  if (version?.untold === undefined) return version;
  try {
    await announce([], version, ports);
  } catch {
    return version;
  }
  const { untold: _, ...told } = version;
  return told;
};

/** Sends an event, after the events of earlier versions that were not sent yet. */
export const tellWith = (event: Announcement, version: PolicyVersion | undefined, ports: Ports): Promise<void> =>
  announce([event], version, ports);

/**
 * The version in force of each group whose events this environment has sent, but could not note as sent. A run that
 * fails is repeated each minute, and it would send them each time.
 */
const sentFor = rememberedByKey<AcceptPolicyPorts['announcer'], string>();

const announce = async (
  events: readonly Announcement[],
  inForce: PolicyVersion | undefined,
  { announcer, store }: Ports,
): Promise<void> => {
  if (inForce?.untold === undefined) return announcer.announce(events);
  const { group, untold } = inForce;
  const known = sentFor(announcer);
  const stamp = `${inForce.version} ${inForce.acceptedAtMs}`;
  const told = new Set(events.map(({ detail }) => detail.version));
  const before = known.get(group) === stamp ? [] : untold.filter(({ version }) => !told.has(version));
  const all = [...before.map((one) => acceptanceOf(group, one)), ...events];
  if (all.length > 0) await announcer.announce(all);
  known.set(group, stamp);
  await store.noteTold(inForce);
  known.delete(group);
};
