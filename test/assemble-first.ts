import { assemble } from '../scripts/assemble.ts';

export const setup = async (): Promise<void> => {
  await assemble();
};
