/** The one STS operation that command line tools ask for, in the form of the SDK's schemas (no STS client is installed). */
const namespace = 'com.amazonaws.sts';
const request = [3, namespace, 'GetCallerIdentityRequest', 0, [], []];
const response = [3, namespace, 'GetCallerIdentityResponse', 0, ['UserId', 'Account', 'Arn'], [0, 0, 0]];

export const GetCallerIdentity$ = [9, namespace, 'GetCallerIdentity', 0, () => request, () => response];
