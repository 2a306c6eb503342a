import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { FunctionBundle, LambdaContext } from '../core/contract.ts';

/** What one environment looks at, and the waits before its looks, in world time. */
export type LooksOrder = {
  readonly file: string;
  readonly name: string;
  readonly time: { readonly originMs: number; readonly wallOriginMs: number; readonly factor: number };
  readonly event: unknown;
  readonly betweenMs: readonly number[];
};

/** After a look: what the process has held at the most until then, and what it holds after a collection. */
export type Looked = { readonly wallMs: number; readonly mostMb: number; readonly keptMb: number; readonly isDone: boolean };

const mb = (bytes: number): number => Math.round(bytes / 1_048_576);

const { file, name, time, event, betweenMs } = JSON.parse(await text(process.stdin)) as LooksOrder;
const { originMs, wallOriginMs, factor } = time;
const now = (): number => originMs + Math.floor((Date.now() - wallOriginMs) * factor);
const bundle = (await import(pathToFileURL(file).href)) as FunctionBundle;
const wait = (ms: number): Promise<void> => sleep(ms / factor);
const react = bundle.create({ id: name, env: process.env, now, elapsedMs: now, sleep: wait, random: Math.random, clientConfig: {} });
const looks: Looked[] = [];
for (const beforeMs of betweenMs) {
  await wait(beforeMs);
  const beganAtMs = performance.now();
  const context = { awsRequestId: `look-${looks.length}`, functionName: name, getRemainingTimeInMillis: () => 600_000 } as LambdaContext;
  const outcome = (await react(event, context)) as { readonly batchItemFailures?: readonly unknown[] } | undefined;
  globalThis.gc?.();
  looks.push({
    wallMs: Math.round(performance.now() - beganAtMs),
    mostMb: Math.round(process.resourceUsage().maxRSS / 1_024),
    keptMb: mb(process.memoryUsage().heapUsed),
    isDone: (outcome?.batchItemFailures ?? []).length === 0,
  });
}
console.log(JSON.stringify(looks));
process.exit(0);
