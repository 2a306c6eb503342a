import type { Market } from '../pool/offering.ts';
import type { Pool, Subnet } from '../pool/pool.ts';
import { excludedTypes, goneVersion } from './image-rules.ts';
import type { PoolDocument } from './pool-schema.ts';
import { type Path, type Problem, problemOf, showFound } from './problem.ts';
import { type AsgFacts, type LookedUp, templateReference } from './resolution.ts';
import { idleZones, type TypesOfPool, unsoldTypes } from './type-rules.ts';

export type ResolvedPool = { readonly pool: Pool } | { readonly problems: readonly Problem[] };

/** Where a field of a pool was written: in the pool or in `defaults`. */
export type FieldPath = (field: string) => Path;

/** A pool that Holdfast launches itself. The rules beside the schema ensure that it has these fields. */
type LaunchedPool = PoolDocument &
  Required<Pick<PoolDocument, 'market' | 'launchTemplate' | 'subnets' | 'instanceTypes'>>;

/** A pool of a valid policy with what AWS returned about the names in it. */
export const resolvePool = (name: string, document: PoolDocument, resolution: LookedUp, at: FieldPath): ResolvedPool =>
  document.asg === undefined
    ? launchedPool(name, document as LaunchedPool, resolution, at)
    : asgPool(name, document, document.asg, resolution, at);

const limitsOf = ({ maxPriceUsdPerHour, cap }: PoolDocument) => ({
  ...(maxPriceUsdPerHour === undefined ? {} : { maxPriceUsdPerHour }),
  ...(cap === undefined ? {} : { cap }),
});

const launchedPool = (name: string, document: LaunchedPool, resolution: LookedUp, at: FieldPath): ResolvedPool => {
  const { market, launchTemplate, subnets, instanceTypes } = document;
  const problems = [
    ...unknownSubnets(subnets, resolution, at('subnets')),
    ...templateProblems(launchTemplate, resolution, at('launchTemplate')),
    ...unsoldTypes(typesOf(document, resolution, at), resolution),
    ...excludedTypes(document, resolution, at('instanceTypes')),
  ];
  if (problems.length > 0) return { problems };
  const placed = placedSubnets(subnets, resolution);
  return { pool: { name, market, launchTemplate, subnets: placed, instanceTypes, ...limitsOf(document) } };
};

/** Subnets that EC2 knows. */
const placedSubnets = (subnets: readonly string[], resolution: LookedUp): readonly Subnet[] =>
  subnets.flatMap((id) => {
    const zone = resolution.subnets[id];
    return zone === undefined ? [] : [{ id, zone }];
  });

const typesOf = ({ subnets, instanceTypes }: LaunchedPool, resolution: LookedUp, at: FieldPath): TypesOfPool => ({
  path: at('instanceTypes'),
  instanceTypes,
  zones: placedSubnets(subnets, resolution).map(({ zone }) => zone),
});

/** Warnings about the instance types of a pool that Holdfast launches itself. */
export const typeWarnings = (document: PoolDocument, resolution: LookedUp, at: FieldPath): readonly Problem[] =>
  document.asg === undefined ? idleZones(typesOf(document as LaunchedPool, resolution, at), resolution) : [];

const unknownSubnets = (subnets: readonly string[], resolution: LookedUp, path: Path): readonly Problem[] =>
  subnets.flatMap((id, index) =>
    Object.hasOwn(resolution.subnets, id)
      ? []
      : [
          problemOf({
            path: [...path, index],
            found: `${showFound(id)}, which EC2 does not know`,
            allowed: 'a subnet of this account and region',
          }),
        ],
  );

const templateProblems = (text: string, resolution: LookedUp, path: Path): readonly Problem[] => {
  const { template, version } = templateReference(text);
  const latest = resolution.launchTemplates[template];
  if (latest === undefined) {
    return [
      problemOf({
        path,
        found: `${showFound(template)}, which EC2 does not know`,
        allowed: 'a launch template of this account and region',
      }),
    ];
  }
  if (!(Number(version) > latest)) return goneVersion(text, latest, resolution, path);
  return [
    problemOf({ path, found: `version ${version}`, allowed: `a version up to ${latest}, the latest of ${template}` }),
  ];
};

const asgPool = (
  name: string,
  document: PoolDocument,
  asg: string,
  resolution: LookedUp,
  at: FieldPath,
): ResolvedPool => {
  const facts = resolution.asgs[asg];
  if (facts === undefined) return { problems: [unknownAsg(at('asg'), asg)] };
  const market = marketOf(facts);
  const problems = asgPoolProblems(document, asg, facts, at);
  if (market === undefined || problems.length > 0) return { problems };
  return {
    pool: { name, market, subnets: facts.subnets, instanceTypes: facts.instanceTypes, asg, ...limitsOf(document) },
  };
};

/** The only market that an Auto Scaling group launches. Undefined when it launches both, or is not known. */
const marketOf = ({ market }: AsgFacts): Market | undefined =>
  market === 'spot' || market === 'on-demand' ? market : undefined;

export const unknownAsg = (path: Path, asg: string): Problem =>
  problemOf({
    path,
    found: `${showFound(asg)}, which Auto Scaling does not know`,
    allowed: 'an Auto Scaling group of this account and region',
  });

const unitTexts: Readonly<Record<NonNullable<AsgFacts['unit']>, string>> = {
  weights: 'the weights of instance types',
  vcpu: 'vCPUs',
  'memory-mib': 'memory in MiB',
};

/** Sizes count instances here. A desired capacity of 40 vCPUs would be read as 40 missing instances. */
export const unitProblems = (path: Path, asg: string, { unit }: AsgFacts): readonly Problem[] =>
  unit === undefined
    ? []
    : [
        problemOf({
          path,
          found: `${showFound(asg)}, whose sizes count ${unitTexts[unit]}`,
          allowed: 'an Auto Scaling group whose sizes count instances',
        }),
      ];

/**
 * LaunchInstances refuses groups that mix markets, and launches in one zone per call (Auto Scaling User Guide,
 * synchronous provisioning).
 */
const asgPoolProblems = ({ market }: PoolDocument, asg: string, facts: AsgFacts, at: FieldPath): readonly Problem[] => {
  const problem = (found: string, allowed: string): Problem =>
    problemOf({ path: at('asg'), found: `${showFound(asg)}, ${found}`, allowed });
  const single = marketOf(facts);
  return [
    ...unitProblems(at('asg'), asg, facts),
    ...(facts.market === 'mixed'
      ? [problem('which launches both markets', 'a group of one market, spot or on-demand')]
      : []),
    ...(facts.market === 'unknown'
      ? [problem('whose market is unknown', 'a group with a launch template or a mixed instances policy')]
      : []),
    ...(facts.zones.length === 1 ? [] : [problem(`which spans ${facts.zones.length} zones`, 'a group of one zone')]),
    ...(facts.instanceTypes.length > 0
      ? []
      : [problem('which names no instance type', 'a group whose template or overrides name instance types')]),
    ...(single !== undefined && market !== undefined && market !== single
      ? [
          problemOf({
            path: at('market'),
            found: market,
            allowed: `${single}, the market of Auto Scaling group ${asg}`,
          }),
        ]
      : []),
  ];
};
