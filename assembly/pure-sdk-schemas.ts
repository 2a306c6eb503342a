import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { withUsedMembers } from './used-members.ts';

const schemaModules = /@aws-sdk[\\/]client-[^\\/]+[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/;
const schemaDeclaration = /^((?:export )?var [\w$]+ = )(\[[\s\S]*?\]);$/gm;

/** Wraps every operation schema of an SDK client in a call that is marked free of side effects, so that an unused one can be left out. */
export const markSchemasPure = (source: string): string => source.replace(schemaDeclaration, '$1/* @__PURE__ */ (() => ($2))();');

const nameDeclaration = /^const (?<constant>_\w+) = (?<text>"[^"\\\n]*");\n/gm;
const nameUse = /(?<![\w$."'`])_\w+/g;

/** A name that is used this often in the whole of a client is hardly used twice in what a bundle keeps of it. */
const rareUses = 3;

/** Writes names of shapes and members that are used rarely where they are used: a variable of its own costs ten bytes more, and bundlers do not undo it. */
export const inlineRareNames = (source: string): string => {
  const uses = new Map<string, number>();
  for (const [name] of source.matchAll(nameUse)) uses.set(name, (uses.get(name) ?? 0) + 1);
  const texts = new Map<string, string>();
  const left = source.replace(nameDeclaration, (declaration, constant: string, text: string) => {
    // Its declaration is one of the uses that were counted.
    if ((uses.get(constant) ?? 0) - 1 > rareUses) return declaration;
    texts.set(constant, text);
    return '';
  });
  return left.replace(nameUse, (name) => texts.get(name) ?? name);
};

const plainError = /^export var (?<name>\w+)\$ = \[-3, n0, [\w$"]+,\n {4}\{[^}]*\},\n {4}\[_m\],\n {4}\[0\]\n\];$/gm;

/**
 * Leaves out the registration of errors that have nothing but a message, and with it their classes. For an error that is not registered, the SDK
 * makes one with the same name, message and fault. Only for services that speak JSON: in XML the name of an error may differ from its code.
 */
export const withoutPlainErrors = (source: string): string => {
  const plain = new Set([...source.matchAll(plainError)].map(({ groups }) => groups?.name));
  return source.replace(/^n0_registry\.registerError\((?<name>\w+)\$, \k<name>\);\n/gm, (line, name: string) => (plain.has(name) ? '' : line));
};

const queryError =
  /^export var (?<name>\w+)\$ = \[-3, n0, (?<shape>[\w$"]+),\n {4}\{ \[_aQE\]: \[`(?<code>[^`]+)`, (?<status>\d+)\], \[_e\]: _c, \[_hE\]: \k<status> \},\n {4}\[(?<member>_[mM])\],\n {4}\[0\]\n\];$/gm;

const queryErrorFactory = `const __queryError = (shape, code, status, member) => [-3, n0, shape, { [_aQE]: [code, status], [_e]: _c, [_hE]: status }, [member], [0]];
`;

/** Writes the schema of each error of the caller that has nothing but a message as one call. Services that speak the query protocol have dozens. */
export const compactQueryErrors = (source: string): string => {
  const compacted = source.replace(queryError, (...match) => {
    const { name, shape, code, status, member } = match.at(-1) as Readonly<Record<string, string>>;
    return `export var ${name}$ = /* @__PURE__ */ __queryError(${shape}, "${code}", ${status}, ${member});`;
  });
  return compacted === source ? source : compacted.replace(/^(?=import )/m, queryErrorFactory);
};

const speaksJson = /client-(?:dynamodb|eventbridge|sfn|sqs)[\\/]/;
const isEc2 = /client-ec2[\\/]/;

/**
 * The SDK's schema modules use computed keys, which bundlers must assume to have side effects: without this, one EC2 call carries the schemas of
 * every EC2 operation (half a megabyte). The size limit in `test/lib` notices when the SDK's output changes and this no longer applies.
 */
export const pureSdkSchemas: Plugin = {
  name: 'pure-sdk-schemas',
  setup(build) {
    build.onLoad({ filter: schemaModules }, async ({ path }) => {
      const whole = await readFile(path, 'utf8');
      const source = isEc2.test(path) ? withUsedMembers(whole) : whole;
      const lean = speaksJson.test(path) ? withoutPlainErrors(source) : compactQueryErrors(source);
      return { loader: 'js', contents: inlineRareNames(markSchemasPure(lean)) };
    });
  },
};
