import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { HoldfastStack } from '../lib/stack.ts';
import { optionsOf } from './options.ts';

const app = new App();
/** `-c name=…` deploys another Holdfast beside the first: its stack, resources and tags have that name. */
const { name, props } = optionsOf(app.node.getAllContext());

new HoldfastStack(app, name, props);
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
