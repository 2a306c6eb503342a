import { endless, type Span } from './world/life.ts';

/** The times in which something held, by its changes in order. */
export const spansOf = (changes: readonly { readonly atMs: number; readonly isOn: boolean }[]): readonly Span[] =>
  changes.flatMap(({ isOn, atMs }, index) => {
    if (!isOn || changes[index - 1]?.isOn === true) return [];
    return [{ fromMs: atMs, untilMs: changes.slice(index).find((later) => !later.isOn)?.atMs ?? endless }];
  });
