import type { Announcer, Wakes } from '../../core/ports.ts';
import type { DrainPorts } from '../runtime/drain/ports.ts';

/** The end of a drain is also told, and asked to be followed up. */
export type EndDrainPorts = DrainPorts & { readonly announcer: Announcer; readonly wakes: Wakes };
