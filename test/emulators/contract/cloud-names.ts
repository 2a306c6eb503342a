export const cloudNames = ['sandbox', 'ministack', 'moto'] as const;
export type CloudName = (typeof cloudNames)[number];
