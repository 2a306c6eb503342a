import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const schemaModules = /@aws-sdk[\\/]client-[^\\/]+[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/;
const schemaDeclaration = /^((?:export )?var [\w$]+ = )(\[[\s\S]*?\]);$/gm;

/** Wraps every operation schema of an SDK client in a call that is marked free of side effects, so that an unused one can be left out. */
export const markSchemasPure = (source: string): string => source.replace(schemaDeclaration, '$1/* @__PURE__ */ (() => ($2))();');

/**
 * The SDK's schema modules use computed keys, which bundlers must assume to have side effects: without this, one EC2 call carries the schemas of
 * every EC2 operation (half a megabyte). The size limit in `test/lib` notices when the SDK's output changes and this no longer applies.
 */
export const pureSdkSchemas: Plugin = {
  name: 'pure-sdk-schemas',
  setup(build) {
    build.onLoad({ filter: schemaModules }, async ({ path }) => ({ loader: 'js', contents: markSchemasPure(await readFile(path, 'utf8')) }));
  },
};
