import { transform } from 'esbuild';

const mapComment = /\/\/# sourceMappingURL=(?<name>\S+)\s*$/;

/**
 * Minifies a bundle once more. The first time modules are minified one by one, before they are put together; now all modules are in one file, and statements
 * can be joined across them.
 * @param map the bundle's source map; the one returned leads from the smaller code back to the sources
 */
export const minifyAgain = async (bundle: string, map: string): Promise<{ readonly code: string; readonly map: string }> => {
  const name = mapComment.exec(bundle)?.groups?.name;
  const inline = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
  const smaller = await transform(name === undefined ? bundle : bundle.replace(mapComment, inline), {
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    treeShaking: true,
    sourcemap: name === undefined ? false : 'external',
    sourcesContent: false,
    legalComments: 'none',
  });
  return { code: name === undefined ? smaller.code : `${smaller.code}//# sourceMappingURL=${name}\n`, map: smaller.map };
};
