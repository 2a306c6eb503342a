// expects lint/style/noRestrictedImports
import { errorCode } from '../aws/errors.ts';

export const code = errorCode;
