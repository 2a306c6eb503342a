// expects lint/style/noRestrictedImports
import type { ApiCall } from '../sandbox/api.ts';

export type Call = ApiCall;
