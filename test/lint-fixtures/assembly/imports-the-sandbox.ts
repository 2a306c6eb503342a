// expects lint/style/noRestrictedImports
import { anything } from '../sandbox/anything.ts';

export const used = anything;
