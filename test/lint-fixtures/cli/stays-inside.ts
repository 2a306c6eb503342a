// expects nothing
import { createOwners } from '../aws/owners.ts';
import type { Group } from '../core/group/group.ts';
import { env } from '../core/contract.ts';
import { openSandbox } from '../sandbox/door.ts';

export const all = (group: Group): unknown => [createOwners, env, openSandbox, group];
