// expects lint/style/noRestrictedImports
import { converge } from '../react/converge.ts';

export const again = converge;
