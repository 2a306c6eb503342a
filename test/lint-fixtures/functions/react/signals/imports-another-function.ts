// expects lint/style/noRestrictedImports
import { tick } from '../../tick/tick.ts';

export const again = tick;
