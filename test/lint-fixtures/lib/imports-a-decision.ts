// expects lint/style/noRestrictedImports
import type { Decision } from '../core/decision/decision.ts';

export type Decided = Decision;
