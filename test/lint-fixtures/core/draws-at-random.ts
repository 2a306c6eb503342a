// expects plugin
export const draw = (): number => Math.random();
