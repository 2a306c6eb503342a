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

const announce = async (
  events: readonly Announcement[],
  inForce: PolicyVersion | undefined,
  { announcer, store }: Ports,
): Promise<void> => {
  const told = new Set(events.map(({ detail }) => detail.version));
  const before = (inForce?.untold ?? []).filter(({ version }) => !told.has(version));
  await announcer.announce([...before.map((one) => acceptanceOf(inForce?.group ?? '', one)), ...events]);
  if (inForce?.untold !== undefined) await store.noteTold(inForce);
};
