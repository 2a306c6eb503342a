import type { CutBy } from '../swap/shortfall.ts';

/** Why an instance leaves. A further reason is a name here and a row of `leaveReasons`. */
export type LeaveReason =
  /** EC2 takes it. */
  | 'interruption'
  /** EC2 says that it is at risk. */
  | 'rebalance'
  /** AWS will retire, stop or reboot it. */
  | 'maintenance'
  /** Its Auto Scaling group terminates it and waits for us. */
  | 'hook'
  /** The group is above its desired size. */
  | 'scale-in'
  /** The policy holds its members elsewhere now. */
  | 'moved'
  /** It has not served since it was launched, for so long that it is given up. */
  | 'never-served'
  /** Its replacement serves in a better place of the tree. */
  | 'return'
  /** No reservation of ours launched it, or EC2 warned about it and did not take it. */
  | 'unwanted';

/** The properties of a reason that other code uses. Only this file compares reasons with each other. */
type Traits = {
  /**
   * What ends the instance and its open connections. `ec2`: EC2 does at the deadline, whatever we do, so a drain may
   * wait for the replacement until then. `auto-scaling`: its group does, once we complete its hook. `holdfast`: we do.
   */
  readonly endedBy: CutBy;
  /** Whether a replacement is launched for it. */
  readonly isReplaced: boolean;
  /** Whether its swap waits until the surge budget allows its drain. */
  readonly waitsForSurge: boolean;
  /** Whether EC2 advised it. The policy may ignore advice, and the offering is at risk for a while. */
  readonly isAdvice: boolean;
  /** Whether a signal announced it, with a time of its own. */
  readonly isAnnounced: boolean;
  /** Whether it is the end of a move to a better place. Other members may move while it drains. */
  readonly isMove: boolean;
  /**
   * What withdraws a swap that has not taken its member out of service. `in-place`: the member is again where the
   * policy holds its members, or a minimum size keeps it. `serving`: it serves now.
   */
  readonly withdrawnWhen: 'in-place' | 'serving' | 'never';
};

/** The traits of every reason. */
export const leaveReasons: Readonly<Record<LeaveReason, Traits>> = {
  interruption: {
    endedBy: 'ec2',
    isReplaced: true,
    waitsForSurge: false,
    isAdvice: false,
    isAnnounced: true,
    isMove: false,
    withdrawnWhen: 'never',
  },
  rebalance: {
    endedBy: 'holdfast',
    isReplaced: true,
    waitsForSurge: true,
    isAdvice: true,
    isAnnounced: true,
    isMove: false,
    withdrawnWhen: 'never',
  },
  maintenance: {
    endedBy: 'holdfast',
    isReplaced: true,
    waitsForSurge: true,
    isAdvice: false,
    isAnnounced: true,
    isMove: false,
    withdrawnWhen: 'never',
  },
  hook: {
    endedBy: 'auto-scaling',
    isReplaced: true,
    waitsForSurge: false,
    isAdvice: false,
    isAnnounced: true,
    isMove: false,
    withdrawnWhen: 'never',
  },
  'scale-in': {
    endedBy: 'holdfast',
    isReplaced: false,
    waitsForSurge: false,
    isAdvice: false,
    isAnnounced: false,
    isMove: false,
    withdrawnWhen: 'never',
  },
  moved: {
    endedBy: 'holdfast',
    isReplaced: true,
    waitsForSurge: true,
    isAdvice: false,
    isAnnounced: false,
    isMove: false,
    withdrawnWhen: 'in-place',
  },
  'never-served': {
    endedBy: 'holdfast',
    isReplaced: true,
    waitsForSurge: true,
    isAdvice: false,
    isAnnounced: false,
    isMove: false,
    withdrawnWhen: 'serving',
  },
  return: {
    endedBy: 'holdfast',
    isReplaced: false,
    waitsForSurge: false,
    isAdvice: false,
    isAnnounced: false,
    isMove: true,
    withdrawnWhen: 'never',
  },
  unwanted: {
    endedBy: 'holdfast',
    isReplaced: false,
    waitsForSurge: false,
    isAdvice: false,
    isAnnounced: false,
    isMove: false,
    withdrawnWhen: 'never',
  },
};

/** The traits of the reason for which an instance leaves. */
export const traitsOf = ({ reason }: { readonly reason: LeaveReason }): Traits => leaveReasons[reason];

/** Whether a member leaves because it never served. It stays if it serves after all. */
export const isGivenUp = (leaving: { readonly reason: LeaveReason }): boolean =>
  traitsOf(leaving).withdrawnWhen === 'serving';
