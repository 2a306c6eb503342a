// expects lint/style/noRestrictedImports
import { env } from '../../functions/contract.ts';

export const name = env.name;
