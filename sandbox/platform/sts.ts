import type { ApiService, Place } from '../api.ts';

/** GetCallerIdentity, which command-line tools call first. The operator is the account's root user, a function is its role. */
export const createSts = ({ accountId }: Place): ApiService => ({
  service: 'sts',
  operations: {
    GetCallerIdentity: (_, caller) =>
      caller.kind === 'operator'
        ? { UserId: accountId, Account: accountId, Arn: `arn:aws:iam::${accountId}:root` }
        : { UserId: `AROA:${caller.name}`, Account: accountId, Arn: `arn:aws:sts::${accountId}:assumed-role/${caller.name}/sandbox` },
  },
});
