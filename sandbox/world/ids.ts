import { forkRandom } from '../random.ts';

/** Identifiers in AWS's own forms, the same sequence for the same seed. */
export type Ids = {
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string;
  /** For example `i-0` and 16 hexadecimal digits. */
  resource(prefix: string): string;
  uuid(): string;
};

export const createIds = (seed: number): Ids => {
  const random = forkRandom(seed, 'ids');
  const hex = (digits: number): string => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
  return {
    hex,
    resource: (prefix) => `${prefix}-0${hex(16)}`,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  };
};
