import { describe, expect, it } from 'vitest';
import { asReady, needsStatusChecks, type Ready, type StatusCheck } from '../../../core/view/ready.ts';
import type { Member } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { nowMs, spotA } from '../views.ts';

const aged = (seconds: number, rest: Partial<Member> = {}): Member => member('i-1', spotA, { launchedAtMs: nowMs - seconds * 1_000, ...rest });
const asking = (ready?: Ready) => ({ ...(ready && { ready }), nowMs });
const judged = (of: Member, ready?: Ready, check?: StatusCheck) => asReady(of, asking(ready), check);
const checks: Ready = { checks: 'ec2' };

describe('without a ready field in the policy', () => {
  it('a member is as its target groups, or their absence, make it', () => {
    const running = aged(5, { unchecked: true });
    expect(judged(running)).toBe(running);
  });
});

describe('a warm-up', () => {
  const ready = { afterMs: 90_000 };
  it('lasts from the launch, to the millisecond', () => {
    expect(judged(aged(89.999, { unchecked: true }), ready)).toMatchObject({ serving: false, unready: 'warm-up' });
    expect(judged(aged(90, { unchecked: true }), ready)).toMatchObject({ serving: true });
  });
  it('decides which members serve, without a guess', () => {
    expect(judged(aged(90, { unchecked: true }), ready).unchecked).toBeUndefined();
    expect(judged(aged(5, { unchecked: true }), ready).unchecked).toBeUndefined();
  });
  it('is not what keeps a member from serving that its target groups do not find healthy', () => {
    expect(judged(aged(5, { serving: false }), ready).unready).toBeUndefined();
  });
  it('holds besides a target group', () => {
    expect(judged(aged(90, { serving: false }), ready)).toMatchObject({ serving: false });
    expect(judged(aged(5, { serving: false, mayServe: true }), ready).mayServe).toBeUndefined();
    expect(judged(aged(90, { serving: false, mayServe: true }), ready)).toMatchObject({ serving: false, mayServe: true });
  });
});

describe('status checks', () => {
  it('decide about a new member that would serve without them', () => {
    expect(needsStatusChecks(aged(60), asking(checks))).toBe(true);
    expect(needsStatusChecks(aged(60, { serving: false, mayServe: true }), asking(checks))).toBe(true);
    expect(needsStatusChecks(aged(60, { serving: false }), asking(checks))).toBe(false);
    expect(needsStatusChecks(aged(60), asking({ ...checks, afterMs: 90_000 }))).toBe(false);
    expect(needsStatusChecks(aged(60), asking({ afterMs: 10_000 }))).toBe(false);
    expect(needsStatusChecks(aged(60), asking())).toBe(false);
    expect(needsStatusChecks(aged(600), asking(checks))).toBe(false);
    expect(needsStatusChecks(aged(600), { ...asking(checks), unserved: ['i-1'] })).toBe(true);
    expect(needsStatusChecks(aged(600), { ...asking(checks), unserved: ['i-2'] })).toBe(false);
  });
  it.each<[StatusCheck, Partial<Member>]>([
    ['passed', { serving: true, unhealthy: false }],
    ['waiting', { serving: false, unready: 'status-checks', unhealthy: false }],
    ['failed', { serving: false, unready: 'status-checks', unhealthy: true }],
    ['unread', { serving: false, mayServe: true, unhealthy: false }],
  ])('that have %s', (check, expected) => {
    expect(judged(aged(120), checks, check)).toMatchObject(expected);
  });
  it('do not make a member serve of which its target group is not known', () => {
    expect(judged(aged(120, { serving: false, mayServe: true }), checks, 'passed')).toMatchObject({ serving: false, mayServe: true });
    expect(judged(aged(120, { serving: false, mayServe: true }), checks, 'waiting').mayServe).toBeUndefined();
  });
});
