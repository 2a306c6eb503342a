// expects lint/style/noRestrictedImports
import { anything } from '../bench/anything.ts';

export const used = anything;
