import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const errorModules = /@aws-sdk[\\/]client-[^\\/]+[\\/]dist-es[\\/]models[\\/]errors\.js$/;

/** A modelled error as the SDK's generator writes it. A class with anything else in it does not match and stays as it is. */
const errorClass =
  /^export class (?<name>\w+) extends __BaseException \{\n(?: {4}static shapeId = "(?<shape>[^"]+)";\n)? {4}name = "\k<name>";\n {4}\$fault = "(?<fault>client|server)";\n(?<fields>(?: {4}\w+;\n)*) {4}constructor\(opts\) \{\n {8}super\(\{\n {12}name: "\k<name>",\n {12}\$fault: "\k<fault>",\n {12}\.\.\.opts,\n {8}\}\);\n {8}Object\.setPrototypeOf\(this, \k<name>\.prototype\);\n(?<assignments>(?: {8}this\.\w+ = opts\.\w+;\n)*) {4}\}\n\}$/gm;

/** Makes the very class that the generator writes out a hundred times. `usual`: the members that most errors of the service have. */
const factoryFor = (usual: string): string => `const __errorClass = (name, members = ${usual}, $fault = "client", shapeId = undefined) => {
  const ErrorClass = class extends __BaseException {
    name = name;
    $fault = $fault;
    constructor(opts) {
      super({ name, $fault, ...opts });
      Object.setPrototypeOf(this, ErrorClass.prototype);
      for (const member of members) this[member] = opts[member];
    }
  };
  if (shapeId) ErrorClass.shapeId = shapeId;
  return ErrorClass;
};
`;

type Found = Readonly<Record<string, string | undefined>>;

const membersOf = ({ fields }: Found): string => JSON.stringify((fields ?? '').match(/\w+/g) ?? []);

const mostFrequent = (texts: readonly string[]): string =>
  [...Map.groupBy(texts, (text) => text).values()].toSorted((a, b) => b.length - a.length)[0]?.[0] ?? '[]';

/** The arguments of one error, without those that the factory adds. */
const argumentsOf = (error: Found, usual: string): string => {
  const { name, fault, shape } = error;
  const members = membersOf(error);
  const all = [
    JSON.stringify(name),
    members === usual ? undefined : members,
    fault === 'client' ? undefined : JSON.stringify(fault),
    shape && JSON.stringify(shape),
  ];
  const last = all.findLastIndex((one) => one !== undefined);
  return all
    .slice(0, last + 1)
    .map((one) => one ?? 'undefined')
    .join(', ');
};

/** Writes each modelled error as one call instead of fifteen lines: a service's whole list of them stays in every bundle that calls the service. */
export const compactErrors = (source: string): string => {
  const usual = mostFrequent([...source.matchAll(errorClass)].map(({ groups = {} }) => membersOf(groups)));
  const compacted = source.replace(errorClass, (...match) => {
    const error = match.at(-1) as Found;
    return `export const ${error.name} = /* @__PURE__ */ __errorClass(${argumentsOf(error, usual)});`;
  });
  return compacted === source ? source : compacted.replace(/^(?!import )/m, factoryFor(usual));
};

/** The size limit of bundles notices when the SDK's output changes and this no longer applies. */
export const compactSdkErrors: Plugin = {
  name: 'compact-sdk-errors',
  setup(build) {
    build.onLoad({ filter: errorModules }, async ({ path }) => ({ loader: 'js', contents: compactErrors(await readFile(path, 'utf8')) }));
  },
};
