import * as z from 'zod/mini';

export const instanceId = z.string().check(z.regex(/^i-[0-9a-f]{8,17}$/));

/** Auto Scaling allows names of up to 255 characters. */
export const asgName = z.string().check(z.minLength(1), z.maxLength(255));

/** The first error of a value, as path and rule; never the value itself, which must not reach a log. */
export const firstProblem = (error: z.core.$ZodError): string => {
  const issue = error.issues[0];
  if (issue === undefined) return 'is not of its schema';
  const path = issue.path.map(String).join('.');
  return `${path === '' ? 'message' : path}: ${issue.code}`;
};
