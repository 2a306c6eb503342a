import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { HoldfastStack } from '../lib/stack.ts';

const app = new App();

/** `-c name=…` deploys another Holdfast beside the first: its stack, resources and tags have that name. `-c only-tagged=true`: see `onlyTagged`. */
const name: string = app.node.tryGetContext('name') ?? 'holdfast';
const onlyTagged = String(app.node.tryGetContext('only-tagged') ?? false) === 'true';

/** `-c hook-topics=ARN,ARN` and `-c image-parameters=NAME,NAME`: see `hookTopicArns` and `imageParameters`. */
const listOf = (context: string): readonly string[] =>
  String(app.node.tryGetContext(context) ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** `-c alarms=capacity`: see `alarms`. */
const alarms = app.node.tryGetContext('alarms');

new HoldfastStack(app, name, {
  onlyTagged,
  ...(alarms !== undefined && { alarms }),
  hookTopicArns: listOf('hook-topics'),
  imageParameters: listOf('image-parameters'),
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
