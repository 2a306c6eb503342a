import { autoScaling } from './auto-scaling.ts';
import { type CloudName, cloudNames } from './cloud-names.ts';
import { ec2 } from './ec2.ts';
import type { Expectation, Finding } from './expectation.ts';
import { jsonata } from './jsonata.ts';
import { loadBalancing } from './load-balancing.ts';
import { messages } from './messages.ts';
import { tables } from './tables.ts';
import { trouble } from './trouble.ts';

/** Everything that Holdfast relies on in AWS, by the service and in the order of `docs/conformance.md`. */
export const services: Readonly<Record<string, readonly Expectation[]>> = {
  'Amazon EC2': ec2,
  'Amazon EC2 Auto Scaling': autoScaling,
  'Elastic Load Balancing': loadBalancing,
  'Amazon SQS, AWS Step Functions, Amazon EventBridge': messages,
  'Amazon DynamoDB': tables,
  'JSONata in AWS Step Functions': jsonata,
  'Calls in trouble': trouble,
};

const listed = ({ differs, cannot }: Expectation, cloud: CloudName): Pick<Finding, 'verdict' | 'how'> => {
  const [unchecked, different] = [cannot?.[cloud], differs?.[cloud]];
  if (unchecked !== undefined) return { verdict: 'cannot', how: unchecked };
  return different === undefined ? { verdict: 'agrees' } : { verdict: 'differs', how: different };
};

/** What a run finds in which every check ends as it is listed: any other fails, or has not all the clouds. */
export const listedFindings = (): readonly Finding[] =>
  Object.entries(services).flatMap(([service, expectations]) =>
    expectations.flatMap((expectation) =>
      cloudNames.map((cloud) => {
        const { call, rule, source } = expectation;
        return { service, call, rule, source, cloud, ...listed(expectation, cloud) };
      }),
    ),
  );
