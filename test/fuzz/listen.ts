type Write = typeof process.stdout.write;

/** Everything that functions log while the work runs. Lambda's own log level, as in AWS, goes before the one that keeps functions of a simulation quiet. */
export const listen = async <T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly logged: string }> => {
  const lines: string[] = [];
  const streams = [process.stdout, process.stderr] as const;
  const before = streams.map(({ write }) => write);
  const hear = ((text: string | Uint8Array) => {
    lines.push(String(text));
    return true;
  }) as Write;
  process.env.AWS_LAMBDA_LOG_LEVEL = 'INFO';
  for (const stream of streams) stream.write = hear;
  try {
    const result = await work();
    return { result, logged: lines.join('') };
  } finally {
    streams.forEach((stream, index) => {
      stream.write = before[index] as Write;
    });
    delete process.env.AWS_LAMBDA_LOG_LEVEL;
  }
};

/** A rejected policy is logged as the places where it is wrong: those may hold names that its author chose, and nothing else may. */
export const withoutPaths = (logged: string): string => logged.replaceAll(/"problems":\[("([^"\\]|\\.)*",?)*\]/g, '"problems":[]');
