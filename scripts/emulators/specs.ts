import type { EmulatorSpec } from './emulator.ts';

/** MiniStack listens on every interface by default. With `auth` it checks signatures and every role. */
export const ministack = (command: string, auth: boolean): EmulatorSpec => ({
  name: auth ? 'ministack-auth' : 'ministack',
  command,
  args: () => [],
  env: (port, home) => ({
    GATEWAY_PORT: String(port),
    BIND_HOST: '127.0.0.1',
    MINISTACK_HOST: '127.0.0.1',
    LAMBDA_EXECUTOR: 'local',
    TMPDIR: home,
    LOG_LEVEL: 'INFO',
    ...(auth && { AUTH: 'true' }),
  }),
  healthPath: '/_ministack/health',
});

/** moto with EC2 instance types checked, and without Docker. */
export const moto = (command: string): EmulatorSpec => ({
  name: 'moto',
  command,
  args: (port) => ['-H', '127.0.0.1', '-p', String(port)],
  env: () => ({ S3_IGNORE_SUBDOMAIN_BUCKETNAME: 'true', MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION: '1' }),
  healthPath: '/moto-api/data.json',
  configure: async (url) => {
    const settings = { lambda: { use_docker: false }, stepfunctions: { execute_state_machine: true } };
    const answer = await fetch(`${url}/moto-api/config`, { method: 'POST', body: JSON.stringify(settings) });
    if (!answer.ok) throw new Error(`moto refused its settings: ${answer.status} ${await answer.text()}`);
  },
});
