import * as z from 'zod/mini';

export const instanceId = z.string().check(z.regex(/^i-[0-9a-f]{8,17}$/));

/** Auto Scaling allows names of up to 255 characters. */
export const asgName = z.string().check(z.minLength(1), z.maxLength(255));

/** The first error of a value, as path and rule; never the value itself, which must not reach a log. */
export const firstProblem = ({ issues }: z.core.$ZodError): string =>
  issues
    .slice(0, 1)
    .map(({ path, code }) => `${path.map(String).join('.') || 'message'}: ${code}`)
    .join();
