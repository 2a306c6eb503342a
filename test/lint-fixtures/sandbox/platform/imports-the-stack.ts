// expects lint/style/noRestrictedImports
import { Holdfast } from '../../lib/holdfast.ts';

export const construct = Holdfast;
