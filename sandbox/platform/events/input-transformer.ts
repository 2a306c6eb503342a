import type { BusEvent } from '../../api.ts';

/** What a rule's target makes of an event before it is delivered. */
export type TargetInput = {
  readonly Input?: string;
  readonly InputPath?: string;
  readonly InputTransformer?: { readonly InputPathsMap?: Readonly<Record<string, string>>; readonly InputTemplate: string };
};

/** JSON paths of EventBridge know members and positions only: `$.detail.instance-id`, `$.resources[0]`. */
const atPath = (event: unknown, path: string): unknown => {
  let value = event;
  for (const [, member, position] of path.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)) {
    value = (value as Record<string, unknown> | undefined)?.[member ?? (position as string)];
  }
  return value;
};

/** Inside quotes a value is plain text, elsewhere it is JSON. A missing value is replaced by nothing. */
const fill = (template: string, values: Readonly<Record<string, unknown>>): string => {
  let quoted = false;
  return template.replace(/\\.|"|<([^<>]+)>/g, (match, name: string | undefined) => {
    if (match === '"') quoted = !quoted;
    if (name === undefined) return match;
    const value = values[name];
    if (value === undefined) return '';
    if (!quoted) return JSON.stringify(value);
    return typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value).replaceAll('"', '\\"');
  });
};

const reserved = (event: BusEvent, ruleArn: string): Readonly<Record<string, unknown>> => ({
  'aws.events.rule-arn': ruleArn,
  'aws.events.rule-name': ruleArn.split('/').at(-1),
  'aws.events.event.ingestion-time': event.time,
  'aws.events.event': event,
  'aws.events.event.json': event,
});

/** The text that a target is given for an event. */
export const targetInput = (target: TargetInput, event: BusEvent, ruleArn: string): string => {
  if (target.Input !== undefined) return target.Input;
  if (target.InputPath !== undefined) return JSON.stringify(atPath(event, target.InputPath)) ?? 'null';
  if (target.InputTransformer === undefined) return JSON.stringify(event);
  const { InputPathsMap = {}, InputTemplate } = target.InputTransformer;
  const named = Object.entries(InputPathsMap).map(([name, path]) => [name, atPath(event, path)]);
  return fill(InputTemplate, { ...reserved(event, ruleArn), ...Object.fromEntries(named) });
};
