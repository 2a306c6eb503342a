import { distance } from 'fastest-levenshtein';
import type { HoldfastProps } from '../lib/holdfast.ts';

/** Each option of `cdk deploy -c`, and the property of the construct that it sets. */
const options = {
  name: 'name',
  'only-tagged': 'onlyTagged',
  'image-parameters': 'imageParameters',
  'hook-topics': 'hookTopicArns',
  alarms: 'alarms',
} as const;
type Option = keyof typeof options;

type Context = Readonly<Record<string, unknown>>;

const plain = (text: string): string => text.replace(/[^a-z]/gi, '').toLowerCase();

/**
 * CDK and its users have context of their own, so only a key that is almost an option is taken for a misspelt one. Other
 * words differ from a short one by a letter.
 */
const meant = (key: string): Option | undefined =>
  (Object.keys(options) as readonly Option[]).find((option) =>
    [option, options[option]].some(
      (name) => plain(key) === plain(name) || (name.length > 4 && distance(key, name) === 1),
    ),
  );

const checkNames = (context: Context): void => {
  for (const key of Object.keys(context)) {
    const option = key in options ? undefined : meant(key);
    if (option !== undefined) throw new Error(`Expected -c ${option}=…, found -c ${key}=…, which has no effect.`);
  }
};

/** Context of the command line is text, and context of `cdk.json` may be a boolean. */
const flag = (context: Context, option: Option): boolean => {
  const found = context[option] ?? false;
  if (found === true || found === 'true') return true;
  if (found === false || found === 'false') return false;
  throw new Error(`Expected -c ${option}=true or -c ${option}=false, found '${String(found)}'.`);
};

const list = (context: Context, option: Option): readonly string[] =>
  String(context[option] ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

const topic = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[^:]+$/;

const topics = (context: Context): readonly string[] => {
  const found = list(context, 'hook-topics');
  const wrong = found.find((arn) => !topic.test(arn));
  if (wrong !== undefined) throw new Error(`Expected -c hook-topics=… with ARNs of SNS topics, found '${wrong}'.`);
  return found;
};

/**
 * The properties of the deployment that the context asks for.
 * @throws if a value cannot be used, or if a key is almost the name of an option: a restriction that is silently not
 * applied would be found too late.
 */
export const optionsOf = (context: Context) => {
  checkNames(context);
  const { name = 'holdfast', alarms } = context as { name?: string; alarms?: NonNullable<HoldfastProps['alarms']> };
  return {
    name,
    props: {
      onlyTagged: flag(context, 'only-tagged'),
      imageParameters: list(context, 'image-parameters'),
      hookTopicArns: topics(context),
      ...(alarms !== undefined && { alarms }),
    } satisfies HoldfastProps,
  };
};
