import type { Chronicle } from '../chronicle.ts';
import type { Finding, Rule } from '../finding.ts';
import type { FunctionEvent } from '../history.ts';
import { times } from '../times.ts';
import { stayAt } from '../world/life.ts';

type Broken = Omit<Finding, 'rule'>;
type Called = Extract<FunctionEvent, { readonly kind: 'called' }>;

export const functionsAnswer: Rule = {
  name: 'functions fail only by faults',
  meaning: 'An invocation fails only when a fault was injected into it.',
  broken: (chronicle) =>
    chronicle
      .of('invocation-ended')
      .flatMap(({ error, injected, function: name, atMs }): readonly Broken[] =>
        error === undefined || injected ? [] : [{ atMs, detail: `${name}: ${error.type} ${error.message.slice(0, 200)}` }],
      ),
};

export const functionsAreQuick: Rule = {
  name: 'functions take less than half of their time',
  meaning: 'An invocation without an injected fault ends within half of its time limit.',
  broken: (chronicle) =>
    chronicle
      .of('invocation-ended')
      .flatMap(({ atMs, startedAtMs, timeoutMs, injected, function: name }): readonly Broken[] =>
        injected || atMs - startedAtMs <= timeoutMs / 2
          ? []
          : [{ atMs, detail: `${name} took ${((atMs - startedAtMs) / 1_000).toFixed(1)} s of ${(timeoutMs / 1_000).toFixed(0)} s` }],
      ),
};

export const functionsWait: Rule = {
  name: 'functions wait for their calls',
  meaning:
    'An invocation without an injected fault ends only once each of its calls has its response. AWS Lambda freezes a function with its response, and what is under way then may never come about.',
  broken: (chronicle) => {
    const endedAtMs = new Map(
      chronicle.of('invocation-ended').flatMap(({ invocation, injected, error, atMs }) => (injected || error ? [] : [[invocation, atMs] as const])),
    );
    return chronicle.of('called').flatMap(({ invocation, function: name, service, operation, askedAtMs, atMs }): readonly Broken[] => {
      const overMs = endedAtMs.get(invocation);
      if (overMs === undefined || atMs <= overMs) return [];
      return [
        {
          atMs: overMs,
          detail: `${name} ended while ${service}:${operation}, requested ${((overMs - askedAtMs) / 1_000).toFixed(3)} s before, had no response`,
        },
      ];
    });
  },
};

const kilobyte = 1_024;
/** DynamoDB takes 400 KB an item; EventBridge takes 256 KB an entry. */
const largestItem = 200 * kilobyte;
const largestEvent = 128 * kilobyte;

export const itemsAreSmall: Rule = {
  name: 'items and events stay below half of their limits',
  meaning: 'No stored item is larger than 200 KB, and no event is larger than 128 KB.',
  broken: (chronicle) => [
    ...[...chronicle.of('state-written'), ...chronicle.of('item-written')].flatMap((event): readonly Broken[] =>
      event.bytes <= largestItem
        ? []
        : [
            {
              group: event.group,
              atMs: event.atMs,
              detail: `${event.kind === 'item-written' ? event.item : 'state'} takes ${Math.round(event.bytes / kilobyte)} KB`,
            },
          ],
    ),
    ...chronicle.of('announced').flatMap(({ detail, detailType, atMs }): readonly Broken[] => {
      const bytes = JSON.stringify(detail).length;
      return bytes <= largestEvent ? [] : [{ atMs, detail: `${detailType} takes ${Math.round(bytes / kilobyte)} KB` }];
    }),
  ],
};

/** Whether a call was to tag an instance that its user had detached a moment ago: a describe need not show that yet. */
const tagsDetached = (chronicle: Chronicle, { tags = [], askedAtMs, atMs, outcome }: Called): boolean =>
  outcome === 'UnauthorizedOperation' &&
  tags
    .flatMap((instance) => chronicle.life(instance) ?? [])
    .some(
      (life) =>
        stayAt(life, askedAtMs) === undefined &&
        life.stays.some(
          ({ how, by, untilMs }) =>
            how === 'detached' && by?.kind === 'user' && untilMs <= atMs && askedAtMs - untilMs <= times.bothLagMs + times.reactMs,
        ),
    );

export const rightsSuffice: Rule = {
  name: 'rights suffice',
  meaning:
    'The role of each function allows every call that this function makes. Only members of Auto Scaling groups may be tagged, so a call that tags one that its user detached a moment before does not count.',
  broken: (chronicle) =>
    chronicle.of('called').flatMap((call): readonly Broken[] => {
      const { outcome, trouble, function: name, service, operation, atMs } = call;
      const isDenied = trouble === undefined && /AccessDenied|Unauthorized|InternalFailure|InternalError/.test(outcome);
      return isDenied && !tagsDetached(chronicle, call) ? [{ atMs, detail: `${name}: ${service}:${operation} ${outcome}` }] : [];
    }),
};
