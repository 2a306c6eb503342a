import { versionOf } from './install.ts';

/** As the contract suite writes it down (test/emulators/contract). */
export type Finding = {
  readonly service: string;
  readonly call: string;
  readonly rule: string;
  readonly source: string;
  readonly cloud: 'sandbox' | 'ministack' | 'moto';
  readonly verdict: 'agrees' | 'differs' | 'cannot';
  readonly how?: string;
};

export const clouds = ['sandbox', 'ministack', 'moto'] as const;
const titles = { sandbox: 'our sandbox', ministack: `MiniStack ${versionOf('ministack')}`, moto: `moto ${versionOf('moto[server]')}` } as const;
const marks = { agrees: 'agrees', differs: '**differs**', cannot: 'cannot be checked' } as const;

const intro = `# Conformance

Written by \`npm run test:emulators\`; do not edit.

Every AWS call that Holdfast makes, what it relies on in that call, and whether three clouds do as AWS documents it: the sandbox that comes with Holdfast,
and two emulators that others wrote. One table of expectations (\`test/emulators/contract\`) is run against all three. Each expectation is AWS's documented
behaviour, with a link to the page, so where a cloud differs it is that cloud that is wrong by AWS's documentation, unless a note says otherwise. A difference
that is not listed fails the run, and so does a listed one that is no longer there.

The emulators accept nearly everything: that they agree shows that names, shapes and parsing are right. What only the sandbox can play (capacity that runs out,
hooks that hold, targets that drain) has no second opinion here, and its only judges are AWS's documentation and, some day, AWS.
`;

const beside = `## What else is judged

- **The stack itself**, deployed to MiniStack by the CDK's command line: bootstrap, deploy, a second deploy with a change, destroy, after which nothing is left but the two
  tables. On it a policy is accepted and another rejected with its reasons; a warning on the queue is answered with a replacement, a state item and a drain execution
  that ends; messages that cannot be read are acknowledged and counted, and come to no dead-letter queue; signals of a group whose state was broken by hand, which
  fail each time, come to the dead-letter queue after five receives by the real event source mapping while other groups are served, and are heard once the state is
  mended and they are sent again. The alarm over that queue goes off at its depth (MiniStack publishes no metrics of SQS: the check puts the depth where SQS does).
  Again with signatures and roles checked, where a grant that is taken away breaks it, and it goes on once the grant is back. Adapted for MiniStack, in
  \`test/emulators/app.ts\` alone: alarms over expressions get a plain metric (its CloudFormation has no metric math); where roles are checked, the queues' rule
  against plain HTTP is left out (loopback has no TLS), and rights on EC2, Auto Scaling, Elastic Load Balancing and EventBridge are reduced to their actions (it
  asks for no resource there, and knows neither tags nor the source of an event).
- **Rules**: every event sample against every rule of the template, by TestEventPattern on MiniStack and by the sandbox's own matcher, from one table.
- **State machines**: the definition by \`asl-validator\` and by the validation that the CDK bundles; the sandbox's JSONata runner by the rules that AWS documents.
- **Stores**: the project's own tests of what it keeps in DynamoDB, over tables of MiniStack and of moto.
- **Rights**: every question that the sandbox's policy evaluator is asked in three recorded runs, and variations of each that ask about other resources and tags,
  and hand-made ones about every condition operator, quantifier, wildcard, NotAction, NotResource and explicit deny, is put to \`@cloud-copilot/iam-simulate\` too.
- **Operators**: sessions with boto3 ${versionOf('boto3')}, with version ${versionOf('awscli')} of the AWS CLI and with its version 2 on a live sandbox
  (\`test/emulators/operator-sessions.test.ts\`, \`operator-clis.test.ts\`): a group kept by tag, one attached to an Auto Scaling group, one in single-market groups; each from
  launch templates, target groups and load balancers over a rejected policy to a drain that is read event by event. AWS publishes version 2 in no package registry: the lane
  takes Debian's package (2.9 in Debian 12), so it needs apt and says so where there is none; that version speaks to SQS in a protocol that the sandbox does not, so
  dead letters are read with version 1 alone.
`;

const countOf = (findings: readonly Finding[], cloud: Finding['cloud'], verdict: Finding['verdict']): number =>
  findings.filter((finding) => finding.cloud === cloud && finding.verdict === verdict).length;

const summary = (findings: readonly Finding[]): string => {
  const rows = clouds.map((cloud) => {
    const counts = (['agrees', 'differs', 'cannot'] as const).map((verdict) => countOf(findings, cloud, verdict));
    return `| ${titles[cloud]} | ${counts.join(' | ')} |`;
  });
  return ['| cloud | agrees | differs | cannot be checked |', '|---|---|---|---|', ...rows, ''].join('\n');
};

const cell = ({ verdict, how }: Finding): string => (how === undefined ? marks[verdict] : `${marks[verdict]}: ${how}`);

const rowsOf = (findings: readonly Finding[]): readonly string[] => {
  // The sandbox can check everything, and so tells the order of the table.
  const rules = findings.filter(({ cloud }) => cloud === 'sandbox');
  return rules.map(({ call, rule, source }) => {
    const cells = clouds.map((cloud) => {
      const found = findings.find((finding) => finding.cloud === cloud && finding.call === call && finding.rule === rule);
      return found === undefined ? 'not run' : cell(found);
    });
    return `| \`${call}\` ${rule} ([AWS](${source})) | ${cells.join(' | ')} |`;
  });
};

const sectionOf = (service: string, findings: readonly Finding[]): string =>
  [
    `## ${service}`,
    '',
    `| what Holdfast relies on | ${clouds.map((cloud) => titles[cloud]).join(' | ')} |`,
    '|---|---|---|---|',
    ...rowsOf(findings.filter((finding) => finding.service === service)),
    '',
  ].join('\n');

/** `docs/conformance.md` as these findings make it; the first finding of each service and rule tells the order. */
export const conformancePage = (findings: readonly Finding[]): string => {
  const services = [...new Set(findings.map(({ service }) => service))];
  return `${[intro, summary(findings), beside, ...services.map((service) => sectionOf(service, findings))].join('\n').trimEnd()}\n`;
};
