/** What the status of a policy says: the version, and the numbers of its problems and warnings. `waits`: it is judged again once its Auto Scaling groups are free. */
export type SaidStatus = {
  readonly status: string;
  readonly version?: number;
  readonly problems?: number;
  readonly warnings?: number;
  readonly waits?: true;
};
