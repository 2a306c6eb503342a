import { createDocumentClient, createEc2Client } from '../aws/clients.ts';
import { createOwners } from '../aws/owners.ts';
import { createStateStore } from '../aws/state-store.ts';
import type { Owners, StateStore } from '../core/ports.ts';

/** Where the commands look: a deployment in AWS, or one in a sandbox. */
export type Target = {
  /** The deployment's name. */
  readonly name: string;
  /** Address of a sandbox; absent: AWS, with the credentials and region of the environment. */
  readonly sandbox?: string | undefined;
};

export type Access = { readonly store: StateStore; readonly owners: Owners };

/** A sandbox takes any credentials: whoever is none of its functions is the operator. */
const sandboxConfig = (endpoint: string) => ({
  endpoint,
  region: process.env.AWS_REGION ?? 'us-east-1',
  credentials: { accessKeyId: 'operator', secretAccessKey: 'operator' },
});

/** Opens the tables of a deployment. */
export const openAccess = ({ name, sandbox }: Target): Access => {
  const config = sandbox === undefined ? {} : sandboxConfig(sandbox);
  return {
    store: createStateStore({ client: createDocumentClient(config), groupsTable: `${name}-groups`, stateTable: `${name}-state`, now: Date.now }),
    owners: createOwners({ client: createEc2Client(config), deployment: name }),
  };
};
