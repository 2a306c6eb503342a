// expects lint/style/noNonNullAssertion
export const first = (names: readonly string[]): string => names[0]!;
