import type { Unreadable } from '../../core/decision/decision-record.ts';

/** Called for every stored item that could not be read in full, with the reason, each time that it is read. */
export type TellUnreadable = (found: Unreadable) => void;

/** A stored item that is required cannot be read. */
export class UnreadableItem extends Error {
  constructor({ group, item, problems }: Unreadable) {
    super(`Item ${item} of group ${group} could not be read: ${problems.join('; ')}.`);
    this.name = 'UnreadableItem';
  }
}
