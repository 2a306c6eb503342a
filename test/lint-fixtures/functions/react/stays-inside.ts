// expects nothing
import { createOwners } from '../../aws/owners.ts';
import type { Signal } from '../../core/signals/signal.ts';
import { env } from '../../core/contract.ts';
import { requireEnv } from '../runtime/env.ts';
import { route } from './route.ts';

export const all = (signal: Signal): unknown => [createOwners, env, requireEnv, route, signal];
