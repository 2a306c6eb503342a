import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { isTaggedBy, taggedWithinMs, tagsAsAsked } from '../rules/tags.ts';

const services = new Set(['ec2', 'autoscaling']);

/** When calls of functions to EC2 and EC2 Auto Scaling work again for a minute, after a launch in whose minute they met faults. */
const worksAtMs = (chronicle: Chronicle, launchedAtMs: number): number =>
  chronicle
    .of('called')
    .filter(({ service, trouble }) => services.has(service) && trouble === 'fault')
    .reduce(
      (untilMs, { atMs }) => (atMs >= launchedAtMs && atMs <= untilMs ? Math.max(untilMs, atMs + taggedWithinMs) : untilMs),
      launchedAtMs + taggedWithinMs,
    );

export const taggedOnceCallsWork: Allowance = {
  name: 'calls that tag, launch or describe met faults',
  excuses: tagsAsAsked.name,
  trouble: 'Faults met calls of functions to EC2 or EC2 Auto Scaling, in the minute after a launch into an Auto Scaling group.',
  reaches: 'Instances of that launch that carry their tags a minute after the last such fault, with no minute without one between them.',
  reason: 'A look tags whom describes show without tags. It needs the response to the launch, the describe and the call that tags.',
  covers: ({ instance = '', atMs }, chronicle) => isTaggedBy(chronicle, instance, worksAtMs(chronicle, atMs)),
};
