// expects lint/style/noRestrictedImports
import { decide } from '../core/decide/decide.ts';

export const decided = decide;
