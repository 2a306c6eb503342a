import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const errorModules = /@aws-sdk[\\/]client-[^\\/]+[\\/]dist-es[\\/]models[\\/]errors\.js$/;

/** A modelled error as the SDK's generator writes it. A class with anything else in it does not match and stays as it is. */
const errorClass =
  /^export class (?<name>\w+) extends __BaseException \{\n(?: {4}static shapeId = "(?<shape>[^"]+)";\n)? {4}name = "\k<name>";\n {4}\$fault = "(?<fault>client|server)";\n(?<fields>(?: {4}\w+;\n)*) {4}constructor\(opts\) \{\n {8}super\(\{\n {12}name: "\k<name>",\n {12}\$fault: "\k<fault>",\n {12}\.\.\.opts,\n {8}\}\);\n {8}Object\.setPrototypeOf\(this, \k<name>\.prototype\);\n(?<assignments>(?: {8}this\.\w+ = opts\.\w+;\n)*) {4}\}\n\}$/gm;

/** Makes the very class that the generator writes out a hundred times. */
const factory = `const __errorClass = (name, $fault, members, shapeId) => {
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

/** Writes each modelled error as one call instead of fifteen lines: a service's whole list of them stays in every bundle that calls the service. */
export const compactErrors = (source: string): string => {
  const compacted = source.replace(errorClass, (...match) => {
    const { name, fault, fields, shape } = match.at(-1) as Readonly<Record<string, string | undefined>>;
    const members = (fields ?? '').match(/\w+/g) ?? [];
    const args = [name, fault, members, ...(shape ? [shape] : [])].map((argument) => JSON.stringify(argument));
    return `export const ${name} = /* @__PURE__ */ __errorClass(${args.join(', ')});`;
  });
  return compacted === source ? source : compacted.replace(/^(?!import )/m, factory);
};

/** The size limit of bundles notices when the SDK's output changes and this no longer applies. */
export const compactSdkErrors: Plugin = {
  name: 'compact-sdk-errors',
  setup(build) {
    build.onLoad({ filter: errorModules }, async ({ path }) => ({ loader: 'js', contents: compactErrors(await readFile(path, 'utf8')) }));
  },
};
