import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { HoldfastStack } from '../lib/stack.ts';

const app = new App();

/** `-c name=…` deploys another Holdfast beside the first: its stack, resources and tags have that name. `-c only-tagged=true`: see `onlyTagged`. */
const name: string = app.node.tryGetContext('name') ?? 'holdfast';
const onlyTagged = String(app.node.tryGetContext('only-tagged') ?? false) === 'true';

new HoldfastStack(app, name, { onlyTagged });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
