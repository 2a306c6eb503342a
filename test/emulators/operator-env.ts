/** The surroundings of a client of AWS whose one address is an endpoint on loopback, and nothing of the caller's account. */
export const operatorEnv = (url: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  PYTHONDONTWRITEBYTECODE: '1',
  AWS_ENDPOINT_URL: url,
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_PAGER: '',
});
