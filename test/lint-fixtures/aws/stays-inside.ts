// expects nothing
import { EC2Client } from '@aws-sdk/client-ec2';
import type { Owners } from '../core/ports/owners.ts';
import { tags } from '../core/contract.ts';

export const owners = (client: EC2Client = new EC2Client()): readonly [EC2Client, string, Owners?] => [client, tags.group];
