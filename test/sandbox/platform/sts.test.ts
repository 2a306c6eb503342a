import { describe, expect, it } from 'vitest';
import { createSts } from '../../../sandbox/platform/sts.ts';

const { operations } = createSts({ accountId: '123456789012', region: 'eu-west-1' });

describe('who am I', () => {
  it('is the root of the account for an operator', () => {
    expect(operations.GetCallerIdentity?.({}, { kind: 'operator' })).toEqual({
      UserId: '123456789012',
      Account: '123456789012',
      Arn: 'arn:aws:iam::123456789012:root',
    });
  });

  it('is the role for a function', () => {
    expect(operations.GetCallerIdentity?.({}, { kind: 'role', name: 'react-role' })).toMatchObject({
      Arn: 'arn:aws:sts::123456789012:assumed-role/react-role/sandbox',
    });
  });
});
