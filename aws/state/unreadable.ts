import type { Unreadable } from '../../core/decision-record.ts';

/** Is told of every stored item that could not be read in full, and why, each time that it is read. */
export type TellUnreadable = (found: Unreadable) => void;
