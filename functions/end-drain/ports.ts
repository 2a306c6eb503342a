import type { Announcer, Wakes } from '../../core/ports/surroundings.ts';
import type { DrainPorts } from '../runtime/drain/ports.ts';

/** The ports of a drain, and those for its events and for the message to its group. */
export type EndDrainPorts = DrainPorts & { readonly announcer: Announcer; readonly wakes: Wakes };
