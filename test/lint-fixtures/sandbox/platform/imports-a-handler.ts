// expects lint/style/noRestrictedImports
import { handler } from '../../functions/react/handler.ts';

export const react = handler;
