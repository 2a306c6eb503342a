/** What the status of a policy says: the version, and the numbers of its problems and warnings. `waits`: it is judged again once its Auto Scaling groups are free. */
export type SaidStatus = {
  readonly status: string;
  readonly version?: number;
  readonly problems?: number;
  readonly warnings?: number;
  readonly waits?: true;
  /** How many launches it says that AWS would refuse. Absent: it says nothing of launches. */
  readonly refusedLaunches?: number;
  /** Absent, with all that follows: in histories that are not about that. The text for people. */
  readonly message?: string;
  /** Of which policy it is: its text, as a digest. */
  readonly digest?: string;
  /** When it was written, twice: for people and in milliseconds. */
  readonly at?: string;
  readonly atMs?: number;
};
