import type { Step } from './situation.ts';

const LaunchTemplateName = 'web';

/** The owner adds a version to the launch template that pools name, of the same contents. The default version stays. */
export const addVersion = (atMs: number): Step => ({
  kind: 'template-edited',
  atMs,
  what: `the owner adds a version to the launch template ${LaunchTemplateName}`,
  happen: async (stage) => {
    stage.did({ kind: 'template-edited' });
    await stage.operate('ec2', 'CreateLaunchTemplateVersion', { LaunchTemplateName, SourceVersion: '$Latest', LaunchTemplateData: {} });
  },
});

/** The owner makes the latest version of that launch template its default version. */
export const makeLatestDefault = (atMs: number): Step => ({
  kind: 'template-edited',
  atMs,
  what: `the owner makes the latest version of the launch template ${LaunchTemplateName} its default version`,
  happen: async (stage) => {
    stage.did({ kind: 'template-edited' });
    await stage.operate('ec2', 'ModifyLaunchTemplate', { LaunchTemplateName, DefaultVersion: '$Latest' });
  },
});
