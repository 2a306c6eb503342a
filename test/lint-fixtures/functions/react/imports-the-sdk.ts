// expects lint/style/noRestrictedImports
import { EC2Client } from '@aws-sdk/client-ec2';

export const client = new EC2Client();
