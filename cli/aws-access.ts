import { createDocumentClient, createEc2Client } from '../aws/calls/clients.ts';
import { createOwners } from '../aws/owners.ts';
import { createDecisionLog } from '../aws/state/decision-log.ts';
import { readStatus, type Status } from '../aws/state/status-item.ts';
import type { TellUnreadable } from '../aws/state/unreadable.ts';
import { createStateStore } from '../aws/state-store.ts';
import type { DecisionLog } from '../core/decision/decision-record.ts';
import type { Owners } from '../core/ports/owners.ts';
import type { StateStore } from '../core/ports/state-store.ts';

/** Which deployment the commands read: one in AWS, or one in a sandbox. */
export type Target = {
  /** The deployment's name. */
  readonly name: string;
  /** Address of a sandbox. Absent: AWS, with the credentials and region of the environment. */
  readonly sandbox?: string | undefined;
};

export type Access = {
  readonly store: StateStore;
  readonly log: DecisionLog;
  readonly owners: Owners;
  /** The status of a group's policy. Undefined when none was ever written. */
  readonly status: (group: string) => Promise<Status | undefined>;
};

/** A sandbox accepts any credentials: a caller that is not one of its functions counts as the operator. */
const sandboxConfig = (endpoint: string) => ({
  endpoint,
  region: process.env.AWS_REGION ?? 'us-east-1',
  credentials: { accessKeyId: 'operator', secretAccessKey: 'operator' },
});

const warn: TellUnreadable = ({ group, item, problems }) =>
  console.error(`${group}  ${item} could not be read in full: ${problems.join('; ')}`);

type Clients = {
  readonly documents: ReturnType<typeof createDocumentClient>;
  readonly ec2: ReturnType<typeof createEc2Client>;
};

/** Reads the tables of a deployment through these clients. */
export const accessThrough = ({ documents: client, ec2 }: Clients, name: string): Access => {
  const stateTable = `${name}-state`;
  return {
    store: createStateStore({ client, groupsTable: `${name}-groups`, stateTable, now: Date.now, tell: warn }),
    log: createDecisionLog({ client, table: stateTable }),
    status: (group) => readStatus(client, `${name}-groups`, group),
    owners: createOwners({ client: ec2, deployment: name }),
  };
};

/** Opens the tables of a deployment. */
export const openAccess = ({ name, sandbox }: Target): Access => {
  const config = sandbox === undefined ? {} : sandboxConfig(sandbox);
  return accessThrough({ documents: createDocumentClient(config), ec2: createEc2Client(config) }, name);
};
