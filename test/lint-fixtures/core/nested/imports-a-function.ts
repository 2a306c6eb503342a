// expects lint/style/noRestrictedImports
import { requireEnv } from '../../functions/runtime/env.ts';

export const read = requireEnv;
