// expects lint/style/noRestrictedImports
import { lambdaSurroundings } from '../functions/runtime/surroundings.ts';

export const surroundings = lambdaSurroundings;
