import type { Surroundings } from '../../core/contract.ts';

/**
 * Reads a variable that the construct sets. Throws an error that names it when it is missing: a function that is wired
 * wrongly must not run.
 */
export const requireEnv = ({ env }: Surroundings, name: string): string => {
  const value = env[name];
  if (value === undefined || value === '') {
    throw new Error(
      `Environment variable ${name} is not set. The Holdfast construct sets it: deploy the stack again, ` +
        'and do not edit the function by hand.',
    );
  }
  return value;
};
