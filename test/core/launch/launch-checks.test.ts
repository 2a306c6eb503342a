import { describe, expect, it } from 'vitest';
import { mostTrials, refusedCheck, trialsOf, untriedCheck, untriedIn } from '../../../core/launch/launch-checks.ts';
import { withoutEnded, withReservations } from '../../../core/launch/reservation-life.ts';
import { group, onDemandB, reservation, spotA, spotB, state } from '../views.ts';

const trial = { launchTemplate: 'web', market: 'spot', subnet: 'subnet-a', pools: ['spot-a'] } as const;

describe('launches that are tried', () => {
  it('are one for each launch template, market and subnet, with all pools that launch so', () => {
    const twin = { ...spotA, name: 'twin' };
    const { launchTemplate: _none, ...plain } = { ...spotB, name: 'plain' };
    const beside = { ...onDemandB, name: 'od-a', subnets: spotA.subnets };
    const pools = { 'spot-a': spotA, twin, 'od-a': beside, 'od-b': onDemandB, plain, own: { ...spotB, name: 'own', asg: 'own-asg' } };
    expect(trialsOf(group({ pools }))).toEqual([
      { ...trial, pools: ['spot-a', 'twin'] },
      { launchTemplate: 'web', market: 'on-demand', subnet: 'subnet-a', pools: ['od-a'] },
      { launchTemplate: 'web', market: 'on-demand', subnet: 'subnet-b', pools: ['od-b'] },
    ]);
    expect(untriedIn(group({ pools }))).toEqual([{ code: 'no-dry-run', pools: ['own'], message: expect.stringContaining('no dry run') }]);
    expect(untriedIn(group())).toEqual([]);
  });

  it('are bounded, and what is left out is named', () => {
    const subnets = Array.from({ length: mostTrials + 2 }, (_, index) => ({ id: `subnet-${index}`, zone: 'a' }));
    const [left] = untriedIn(group({ pools: { 'spot-a': { ...spotA, subnets } } }));
    expect(left).toEqual({ code: 'over-budget', pools: ['spot-a'], message: expect.stringContaining('2 launches were not tried') });
  });
});

describe('a launch that AWS would refuse', () => {
  it('names the right that is missing, where AWS does', () => {
    const message =
      'User: arn:role is not authorized to perform: ec2:CreateTags on resource: arn:aws:ec2:eu-west-1:1:instance/* because no policy allows it';
    expect(refusedCheck(trial, 'UnauthorizedOperation', message)).toEqual({
      code: 'refused',
      ...trial,
      awsCode: 'UnauthorizedOperation',
      missing: { action: 'ec2:CreateTags', resource: 'arn:aws:ec2:eu-west-1:1:instance/*' },
      message:
        'AWS would refuse launch template web on spot in subnet-a (UnauthorizedOperation): its role lacks ec2:CreateTags on arn:aws:ec2:eu-west-1:1:instance/*.',
    });
  });

  it('otherwise has the error text of AWS, up to a length', () => {
    const { missing, message } = refusedCheck(trial, 'InvalidAMIID.NotFound', 'x'.repeat(500));
    expect([missing, message.endsWith(`: ${'x'.repeat(300)}`)]).toEqual([undefined, true]);
  });

  it('is different from a launch without a response of AWS', () => {
    expect(untriedCheck(trial, 'InternalError')).toEqual({
      code: 'not-tried',
      ...trial,
      awsCode: 'InternalError',
      message: 'Not tried: launch template web on spot in subnet-a (InternalError). It is tried again within an hour.',
    });
    expect(untriedCheck(trial).message).toContain('(no time was left)');
    expect(untriedCheck(trial)).not.toHaveProperty('awsCode');
  });
});

describe('reservations and the instances of their launches', () => {
  const granted = reservation({ id: 'r-2', instances: ['i-1', 'i-2'] });
  const open = reservation({ id: 'r-1' });

  it('lose instances that have ended', () => {
    expect(withoutEnded(state({ reservations: [open, granted] }), ['i-1']).reservations).toEqual([open, { ...granted, instances: ['i-2'] }]);
    expect(withoutEnded(state({ reservations: [granted] }), []).reservations).toEqual([granted]);
  });

  it('are known of members that do not show their tag yet', () => {
    const seen = [{ instance: 'i-1' }, { instance: 'i-2', reservation: 'r-9' }, { instance: 'i-3' }];
    expect(withReservations(seen, [open, granted])).toEqual([
      { instance: 'i-1', reservation: 'r-2', isUntagged: true },
      { instance: 'i-2', reservation: 'r-9' },
      { instance: 'i-3' },
    ]);
  });
});
