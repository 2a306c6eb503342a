// expects lint/style/noRestrictedImports
import { errorCode } from '../aws/calls/errors.ts';

export const code = errorCode;
