// expects lint/style/noRestrictedGlobals
export const later = (work: () => void): unknown => setTimeout(work, 1);
