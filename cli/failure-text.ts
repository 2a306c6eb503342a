/** What an operator can do about errors of the SDK that concern credentials, region or connection. */
const advice: readonly (readonly [RegExp, string])[] = [
  [
    /Region is missing/,
    'No region is set: set AWS_REGION or choose a profile with a region. For a sandbox, use --sandbox URL.',
  ],
  [
    /Region not accepted/,
    'Set AWS_REGION to the name of a region, for example eu-west-1. For a sandbox, use --sandbox URL.',
  ],
  [
    /Could not load credentials|credentials/i,
    'Set the credentials of the environment, for example AWS_PROFILE. For a sandbox, use --sandbox URL.',
  ],
  [/security token|token (included|.*expired)/i, 'Sign in again, or set valid credentials of the environment.'],
  [
    /ENOTFOUND|EAI_AGAIN/,
    'This host is not known. Check the address, or the region, and the connection of this machine.',
  ],
  [
    /Deserialization error|is not valid JSON/,
    'The server at this address is no sandbox. Use the address that the sandbox printed.',
  ],
  [
    /is not authorized to perform/,
    'These credentials may not read the tables of this deployment: use others, or ask for this right. ' +
      'docs/decisions.md has the rights that the commands need.',
  ],
  [/EPROTO|wrong version number/, 'The server at this address does not speak https. A sandbox speaks http.'],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/,
    'This address cannot be reached. Check it, and the connection of this machine.',
  ],
  [/ECONNREFUSED/, 'No server answers at this address. Check that the sandbox runs and that it printed this address.'],
  [
    /EADDRINUSE/,
    'Another program uses this port: choose another, or leave out --port to use any free port. Nothing was started.',
  ],
  [
    /listen EACCES/,
    'This user may not use this port: choose one from 1024, or leave out --port to use any free port. ' +
      'Nothing was started.',
  ],
  [/Requested resource not found/, 'The tables of this deployment do not exist here: check --name and the region.'],
];

/** An error that a user can cause. Its message says what to do. */
export class ExpectedError extends Error {
  override readonly name = 'ExpectedError';
}

const expectedNames = ['ScenarioError', 'ExpectedError'];

/** The error in a line or two. A stack trace only for an unexpected error. */
export const failureText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const known = advice.find(([pattern]) => pattern.test(error.message));
  if (known !== undefined) return `${error.message.split('\n', 1)[0]}\n${known[1]}`;
  const isExpected = expectedNames.includes(error.name) || '$metadata' in error || 'code' in error;
  return isExpected ? error.message : (error.stack ?? error.message);
};
