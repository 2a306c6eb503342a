import { type Path, type Problem, problemOf, showFound } from './problem.ts';
import { type LookedUp, type TemplateVersion, templateReference } from './resolution.ts';

type Version = TemplateVersion & { readonly architectures: Readonly<Record<string, readonly string[]>> };

/** The version of a launch template that a pool launches, as far as it was read. */
const versionOf = (launchTemplate: string, { images }: LookedUp): Version | undefined =>
  images !== undefined && 'versions' in images && Object.hasOwn(images.versions, launchTemplate)
    ? { ...images.versions[launchTemplate], architectures: images.architectures }
    : undefined;

/** A problem for a version that was deleted. */
export const goneVersion = (
  launchTemplate: string,
  latest: number,
  resolution: LookedUp,
  path: Path,
): readonly Problem[] => {
  const { template, version } = templateReference(launchTemplate);
  if (versionOf(launchTemplate, resolution)?.isGone !== true) return [];
  return [
    problemOf({
      path,
      found: `version ${version ?? '$Default'}, which was deleted`,
      allowed: `a version that ${template} has; the latest is ${latest}`,
    }),
  ];
};

/** Instance types that do not run the image of the pool's launch template. */
export const excludedTypes = (
  { launchTemplate, instanceTypes }: { readonly launchTemplate: string; readonly instanceTypes: readonly string[] },
  resolution: LookedUp,
  path: Path,
): readonly Problem[] => {
  const { image, architecture, architectures = {} } = versionOf(launchTemplate, resolution) ?? {};
  if (architecture === undefined) return [];
  const { template } = templateReference(launchTemplate);
  return instanceTypes.flatMap((instanceType, index) => {
    const runs = Object.hasOwn(architectures, instanceType) ? architectures[instanceType] : undefined;
    if (runs === undefined || runs.includes(architecture)) return [];
    return [
      problemOf({
        path: [...path, index],
        found: `${showFound(instanceType)}, which runs ${runs.join(' and ')}`,
        allowed: `an instance type that runs ${architecture}, as image ${image} of launch template ${template} needs`,
      }),
    ];
  });
};
