// expects lint/style/noRestrictedImports
import { decide } from '../core/decide.ts';

export const decided = decide;
