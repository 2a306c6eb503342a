/** The content of a message. */
export type Told =
  | { readonly about: 'warning' | 'advice' | 'state'; readonly instance: string; readonly state?: string }
  /** AWS will retire, stop or reboot these instances. */
  | { readonly about: 'maintenance'; readonly instances: readonly string[] }
  /** An instance may wait at several hooks of its Auto Scaling group. */
  | { readonly about: 'hook'; readonly instance: string; readonly hook?: string }
  /** Of an alarm: absent `isOn`, it went to `ALARM`. Whether its actions are suppressed or muted. How far its metric was from its threshold. */
  | { readonly about: 'alarm'; readonly alarm: string; readonly isOn?: false; readonly isQuiet?: true; readonly fromThreshold?: number }
  | { readonly about: 'drain-stopped'; readonly drain: string }
  | { readonly about: 'launch-unsuccessful'; readonly asg: string }
  | { readonly about: 'tick'; readonly groups: readonly string[] }
  | { readonly about: 'policy'; readonly group: string }
  | { readonly about: 'other' };
