// expects lint/style/noRestrictedGlobals
export const now = (): number => Date.now();
