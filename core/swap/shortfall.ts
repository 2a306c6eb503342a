/**
 * A sentence, which the first version of Holdfast stored in place of data. Only items of that version have this form.
 */
export type Prose = { readonly code: 'prose'; readonly text: string };

/** What ends open connections: EC2 takes the instance, or Auto Scaling or Holdfast terminates it. */
export type CutBy = 'ec2' | 'auto-scaling' | 'holdfast';

/** Our own code: the minimum size of its Auto Scaling group keeps an instance. */
export const belowMinSize = 'BelowMinSize';

/** What failed for a leaving instance, or was late. */
export type Shortfall =
  /** Foreseen when the drain begins: the deregistration delay ends after the time that is left. */
  | {
      readonly code: 'delay-exceeds-deadline';
      readonly delayMs: number;
      readonly leftMs: number;
      readonly cutAtMs: number;
      readonly by: CutBy;
    }
  /** It could not be taken out of service. */
  | { readonly code: 'not-released'; readonly awsCode: string }
  /**
   * It could not be taken out of service, and Holdfast alone would end it. So it serves on, and a later drain tries
   * again. `awsCode` is the error code of AWS, or the error of the drain if the drain failed. `error` is the error of a
   * drain that failed: it may have taken the member out of service and could not record that.
   */
  | { readonly code: 'still-in-service'; readonly awsCode: string; readonly error?: string }
  /** Its time ran out before it was taken out of service. */
  | { readonly code: 'not-released-in-time'; readonly cutAtMs: number; readonly by: CutBy }
  /** Its time ran out before its connections had closed. */
  | { readonly code: 'still-draining'; readonly cutAtMs: number; readonly by: CutBy }
  /** Its time ran out, and no response of AWS showed whether its connections had closed. */
  | { readonly code: 'not-seen' }
  /** The drain ended by an error of the state machine or of a function. */
  | { readonly code: 'drain-broke'; readonly error: string; readonly cause?: string }
  /**
   * The member is drained, and EC2 or Auto Scaling refuses to terminate it. So it is put back into service, and no
   * decision chooses it to leave until `keptUntilMs`.
   */
  | { readonly code: 'not-ended'; readonly awsCode: string; readonly keptUntilMs?: number }
  /** It had ended by the first look after its drain took it out of service, perhaps in the moment between the two. */
  | { readonly code: 'ended-before-drain' }
  /** Its group was let go before its drain had begun, or after its drain while EC2 did not take it: it stays. */
  | { readonly code: 'let-go' }
  /** Its group's mode became this before its drain had begun: it stays. */
  | { readonly code: 'held-back'; readonly mode: 'observe' | 'pause' }
  /** Its drain began late, and so few others served by then that it stays. */
  | { readonly code: 'needed'; readonly serving: number; readonly desired: number }
  | Prose;
