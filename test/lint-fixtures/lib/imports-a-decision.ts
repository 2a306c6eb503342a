// expects lint/style/noRestrictedImports
import type { Decision } from '../core/decision.ts';

export type Decided = Decision;
