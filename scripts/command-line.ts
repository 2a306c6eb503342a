import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearestName } from '../core/policy/problem.ts';

/** An option or its value is not valid, with the reason. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

/** The end of an error about a name that nobody knows. */
export const meant = (nearest: string | undefined): string => (nearest === undefined ? '' : ` Did you mean ${nearest}?`);

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Known extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: Known }>>['values'];

/** What the help says of an option. `value` names what it takes. */
type Explained = { readonly help: string; readonly value?: string };
export type ExplainedOptions = Readonly<Record<string, Options[string] & Explained>>;

/** A command for developers: how it is called, what it does, examples of calls, and its options. */
export type Command<Known extends ExplainedOptions> = {
  readonly name: string;
  readonly does: string;
  readonly examples?: readonly string[];
  /** What it takes besides options. Absent: nothing. */
  readonly positionals?: string;
  readonly options: Known;
};

/** The options of a command line. @throws OptionError with the help, where one is not known or lacks its value */
export const optionsIn = <Known extends Options>(args: readonly string[], options: Known, help: string): Values<Known> => {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw unread(error, args, options, help);
  }
};

const unread = (error: unknown, args: readonly string[], options: Options, help: string): OptionError => {
  const known = Object.keys(options).map((option) => `--${option}`);
  const wrong = args.map((arg) => arg.replace(/=.*$/s, '')).find((arg) => arg.startsWith('-') && !known.includes(arg));
  const what = wrong === undefined ? (error as Error).message : `Unknown option ${wrong}.${meant(nearestName(wrong, known))}`;
  return new OptionError(`${what}\n\n${help}`);
};

const lineOf = ([name, { help, value, default: fallback }]: [string, ExplainedOptions[string]], width: number): string => {
  const call = `--${name}${value === undefined ? '' : ` ${value}`}`;
  return `  ${call.padEnd(width)}  ${help}${fallback === undefined || fallback === '' || fallback === false ? '' : ` (${fallback})`}`;
};

/** The help of a command: one line an option, with its default in brackets. */
export const helpOfCommand = <Known extends ExplainedOptions>({ name, does, examples = [], positionals, options }: Command<Known>): string => {
  const rows = Object.entries<ExplainedOptions[string]>({ ...options, help: { type: 'boolean', help: 'prints this text' } });
  const width = Math.max(...rows.map(([option, { value }]) => option.length + 2 + (value === undefined ? 0 : value.length + 1)));
  return [
    `${name} -- ${positionals === undefined ? '' : `[${positionals}] `}[options]\n\n${does}\n`,
    ...(examples.length === 0 ? [] : [`${examples.map((one) => `  ${name} -- ${one}`).join('\n')}\n`]),
    ...rows.map((one) => lineOf(one, width)),
  ].join('\n');
};

/** What a command line says. */
export type Read<Known extends ExplainedOptions> = { readonly values: Values<Known>; readonly positionals: readonly string[] };

/** What the command line says, or the help for `--help`. @throws OptionError with the help, where an option is not known or lacks its value */
export const readCommand = <Known extends ExplainedOptions>(command: Command<Known>, args: readonly string[]): Read<Known> | string => {
  const help = helpOfCommand(command);
  const options = { ...command.options, help: { type: 'boolean' as const } };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: command.positionals !== undefined });
    return 'help' in values && values.help === true ? help : { values: values as Values<Known>, positionals };
  } catch (error) {
    throw unread(error, args, options, help);
  }
};

/** Ends the process over an error of its command line. @throws every other error */
export const refuse = (error: unknown): never => {
  if (!(error instanceof OptionError)) throw error;
  console.error(error.message);
  process.exit(2);
};

/**
 * What a command reads from the command line of this process. The process ends with the help where `--help` is given
 * (exit status 0), and with the reason where an option is not valid (2).
 */
export const commandLine = <Known extends ExplainedOptions, Result>(command: Command<Known>, use: (read: Read<Known>) => Result): Result => {
  try {
    const read = readCommand(command, process.argv.slice(2));
    if (typeof read !== 'string') return use(read);
    console.log(read);
    process.exit(0);
  } catch (error) {
    return refuse(error);
  }
};

/** One of these words. @throws OptionError */
export const oneOf = <Word extends string>(option: string, words: readonly Word[], given: string | undefined): Word => {
  const found = words.find((word) => word === given);
  if (found === undefined) throw new OptionError(`--${option}: expected ${words.join(', ')}, found "${given ?? ''}".`);
  return found;
};

const wholeFrom = (least: number, above: string, option: string, given: string): number => {
  const value = Number(given);
  if (given.trim() === '' || !Number.isSafeInteger(value) || value < least)
    throw new OptionError(`--${option}: expected a whole number ${above}, found "${given}".`);
  return value;
};

/** A whole number above 0. @throws OptionError */
export const atLeastOne = (option: string, given: string): number => wholeFrom(1, 'above 0', option, given);

/** A whole number, 0 or more. @throws OptionError */
export const atLeastZero = (option: string, given: string): number => wholeFrom(0, 'of 0 or more', option, given);

/** The number, if it is not too large. @throws OptionError */
export const atMost = (most: number, option: string, given: number): number => {
  if (given > most) throw new OptionError(`--${option}: expected at most ${most}, found "${given}".`);
  return given;
};

/** Does nothing if one of these other options is given. @throws OptionError */
export const needs = (option: string, others: Readonly<Record<string, unknown>>): void => {
  if (Object.values(others).some((value) => value !== undefined)) return;
  const names = Object.keys(others).map((name) => `--${name}`);
  throw new OptionError(`--${option}: has no effect without ${names.join(' or ')}.`);
};
