import { createCapacityProvider } from '../../aws/capacity-provider.ts';
import type { Holding } from '../../core/group.ts';
import { nowMs } from './builders.ts';
import { type Answers, createFakeAws } from './fake-aws.ts';

/** A provider over clients that are answered as given, and the notes that it made. */
export const providerOver = (holding: Holding, answers: Answers) => {
  const aws = createFakeAws(answers);
  const notes: { readonly what: string; readonly detail: Readonly<Record<string, unknown>> }[] = [];
  const { ec2, autoScaling, elb } = aws;
  const provider = createCapacityProvider(holding, {
    ec2,
    autoScaling,
    elb,
    deployment: 'prod',
    now: () => nowMs,
    note: (what, detail) => notes.push({ what, detail }),
  });
  return { aws, provider, notes };
};
