// expects lint/style/noRestrictedGlobals
export const ask = (): Promise<Response> => fetch('https://example.com');
