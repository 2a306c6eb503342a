// expects lint/style/noRestrictedGlobals
export const where = (): string => process.cwd();
