import type { Wakes } from '../../core/ports/surroundings.ts';
import type { DrainPorts } from '../runtime/drain/ports.ts';

/** The ports of the begin of a drain, and the one for the message to its group. */
export type BeginDrainPorts = DrainPorts & { readonly wakes: Wakes };
