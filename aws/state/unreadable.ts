import type { Unreadable } from '../../core/decision-record.ts';

/** Is told of every stored item that could not be read in full, and why, each time that it is read. */
export type TellUnreadable = (found: Unreadable) => void;

/** A stored item that nothing can go on without cannot be read. */
export class UnreadableItem extends Error {
  constructor({ group, item, problems }: Unreadable) {
    super(`Item ${item} of group ${group} could not be read: ${problems.join('; ')}.`);
    this.name = 'UnreadableItem';
  }
}
