// expects lint/suspicious/noExplicitAny
export const read = (event: any): string => event.id;
