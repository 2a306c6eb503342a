// expects lint/nursery/useExhaustiveSwitchCases
type Kind = 'spot' | 'on-demand';

export const price = (kind: Kind): number => {
  switch (kind) {
    case 'spot':
      return 1;
  }
  return 2;
};
