// expects plugin
export const both = (one: Promise<string>, other: Promise<string>): Promise<readonly string[]> => Promise.all([one, other]);
