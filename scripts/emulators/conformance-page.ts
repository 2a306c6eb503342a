import { versionOf } from './install.ts';

/** A finding, as the contract suite writes it (test/emulators/contract). */
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

This page lists every AWS call that Holdfast makes and what Holdfast relies on in that call. For each of these expectations it says whether three clouds do
what AWS documents: the sandbox that comes with Holdfast, and two emulators that others wrote. The same expectations (\`test/emulators/contract\`) are run
against all three. Each one is behaviour that AWS documents, with a link to the page. So a cloud that differs is wrong by AWS's documentation, unless a note
says otherwise. The run fails if a difference is not listed, and also if a listed difference no longer exists.

The emulators accept nearly everything. So their agreement shows only that names, formats and parsing are right. Only the sandbox can play capacity that
runs out, hooks that hold instances, and targets that drain. Nothing but AWS's documentation, and one day AWS itself, can confirm those.
`;

const beside = `## What else is checked

- **The stack itself** is deployed to MiniStack by the CDK's command line: bootstrap, deploy, a second deploy with a change, destroy. Afterwards only the two
  tables are left. These things are checked on it:
  - One policy is accepted, and another is rejected with its reasons.
  - A warning on the queue leads to a replacement, a state item and a drain execution that ends.
  - Messages that cannot be read are acknowledged and counted, and none goes to a dead-letter queue.
  - The accepted version of one group is broken by hand, so its signals fail each time. The real event source mapping moves them to the dead-letter queue
    after two receives, while other groups are served. Once the version is repaired and the signals are sent again, they are handled.
  - The alarm over that queue goes off at its depth. MiniStack publishes no metrics of SQS, so the check writes the depth as SQS would.
  - All of this is run again with signatures and roles checked. When one grant is removed the stack breaks, and when the grant is back it continues.
- **Changes for MiniStack**, only in \`test/emulators/app.ts\`: alarms over expressions get a plain metric, because its CloudFormation has no metric math. Where
  roles are checked, the queues' rule against plain HTTP is left out, because loopback has no TLS. Rights on EC2, Auto Scaling, Elastic Load Balancing and
  EventBridge are reduced to their actions, because MiniStack checks no resources, tags or event sources there.
- **Rules**: every event sample is matched against every rule of the template, by TestEventPattern on MiniStack and by the sandbox's own matcher, from one table.
- **State machines**: the definition is checked by \`asl-validator\` and by the validation that the CDK bundles. The sandbox's JSONata runner is checked by the
  rules that AWS documents.
- **Stores**: the project's own tests of its DynamoDB items are run over tables of MiniStack and of moto.
- **Rights**: \`@cloud-copilot/iam-simulate\` also evaluates every question that the sandbox's policy evaluator gets in three recorded runs. It also gets variations with
  other resources and tags, and hand-made questions about every condition operator, quantifier, wildcard, NotAction, NotResource and explicit deny.
- **Operators**: sessions with boto3 ${versionOf('boto3')}, with version ${versionOf('awscli')} of the AWS CLI and with its version 2 on a live sandbox
  (\`test/emulators/operator-sessions.test.ts\`, \`operator-clis.test.ts\`). They play a group kept by tag, one attached to an Auto Scaling group, and one in
  single-market groups. Each session goes from launch templates, target groups and load balancers over a rejected policy to a drain that is read event by event.
  AWS publishes version 2 in no package registry, so this run installs Debian's package (2.9 in Debian 12) with apt, and says so if there is no apt. That
  version uses a protocol for SQS that the sandbox does not have, so only version 1 reads dead letters.
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
  // The sandbox can check everything, so its findings give the order of the table.
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

/** The text of `docs/conformance.md` for these findings. The first finding of each service and rule gives the order. */
export const conformancePage = (findings: readonly Finding[]): string => {
  const services = [...new Set(findings.map(({ service }) => service))];
  return `${[intro, summary(findings), beside, ...services.map((service) => sectionOf(service, findings))].join('\n').trimEnd()}\n`;
};
