export type Json = Readonly<Record<string, unknown>>;

export const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
export const mapsOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isMap) : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(textOf) : []);
export const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);
