/** Members that we attach to an Auto Scaling group whose size others set. It is written before they are attached. */
export type Added = {
  readonly asg: string;
  /** The desired capacity before: each member that is attached raises it by one, or by the weight of its type. */
  readonly from: number;
  readonly instances: readonly string[];
  /** What the look before counted for each of them, where that is not one: the weight of its type. */
  readonly units?: Readonly<Record<string, number>>;
  readonly atMs: number;
  /** When a look last tried to lower it, and AWS did not do it. */
  readonly triedAtMs?: number;
  /** When it was lowered to `from` again. */
  readonly takenDownAtMs?: number;
  /** Those that had joined, and were still there then as far as we knew. */
  readonly joined?: readonly string[];
  /** Other members that were attached after that. */
  readonly later?: readonly string[];
};
