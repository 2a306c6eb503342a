// expects lint/style/noRestrictedGlobals
export const say = (): void => console.log('hello');
