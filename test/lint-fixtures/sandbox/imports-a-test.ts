// expects lint/style/noRestrictedImports
import { anything } from '../test/anything.ts';

export const used = anything;
