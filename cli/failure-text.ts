/** What an operator can do about errors of the SDK that concern credentials, region or connection. */
const advice: readonly (readonly [RegExp, string])[] = [
  [
    /Region is missing/,
    'No region is set: set AWS_REGION or choose a profile that has one. For a sandbox give --sandbox URL.',
  ],
  [/Could not load credentials|credentials/i, 'For a sandbox give --sandbox URL.'],
  [/ECONNREFUSED/, 'Nothing answers there: does the sandbox run, and is this the address that it printed?'],
  [/EADDRINUSE/, 'Another program has this port: choose another, or leave --port out for any that is free.'],
  [/Requested resource not found/, 'The tables of this deployment are not there: is --name right, and the region?'],
];

/** The error in a line or two. A stack trace only for an unexpected error. */
export const failureText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const known = advice.find(([pattern]) => pattern.test(error.message));
  if (known !== undefined) return `${error.message}\n${known[1]}`;
  const isExpected = error.name === 'ScenarioError' || '$metadata' in error || 'code' in error;
  return isExpected ? error.message : (error.stack ?? error.message);
};
