import { keys, ttlAttribute } from '../../core/contract.ts';
import type { CutBy, Shortfall } from '../../core/swap/shortfall.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { anyOf, eitherOf, flag, mapOf, number, objectOf, oneOf, optional, text } from './checks.ts';
import type { Item } from './query-all.ts';
import {
  absentOr,
  eachOf,
  essential,
  maybe,
  orElse,
  type Reader,
  type Readers,
  type Reading,
  readFields,
} from './readers.ts';
import { hook, leaveReason, swapState } from './shapes.ts';

const by = anyOf<CutBy>({ ec2: true, 'auto-scaling': true, holdfast: true });

const shortfall = eitherOf<Shortfall, 'code'>('code', {
  'delay-exceeds-deadline': objectOf({
    code: oneOf('delay-exceeds-deadline'),
    delayMs: number,
    leftMs: number,
    cutAtMs: number,
    by,
  }),
  'not-released': objectOf({ code: oneOf('not-released'), awsCode: text }),
  'still-in-service': objectOf({ code: oneOf('still-in-service'), awsCode: text, error: optional(text) }),
  'not-released-in-time': objectOf({ code: oneOf('not-released-in-time'), cutAtMs: number, by }),
  'still-draining': objectOf({ code: oneOf('still-draining'), cutAtMs: number, by }),
  'not-seen': objectOf({ code: oneOf('not-seen') }),
  'drain-broke': objectOf({ code: oneOf('drain-broke'), error: text, cause: optional(text) }),
  'not-ended': objectOf({ code: oneOf('not-ended'), awsCode: text, keptUntilMs: optional(number) }),
  'ended-before-drain': objectOf({ code: oneOf('ended-before-drain') }),
  'let-go': objectOf({ code: oneOf('let-go') }),
  'held-back': objectOf({ code: oneOf('held-back'), mode: anyOf({ observe: true, pause: true }) }),
  needed: objectOf({ code: oneOf('needed'), serving: number, desired: number }),
  prose: objectOf({ code: oneOf('prose'), text }),
});

/** The first version stored a sentence. */
const readShortfall: Reader<Shortfall | undefined> = (raw, at, lost) =>
  typeof raw === 'string' ? { code: 'prose', text: raw } : maybe(shortfall)(raw, at, lost);

/**
 * Reads each field of a swap. Without its instance, its reason and its state a swap is useless. The other fields are
 * optional.
 */
const readers: Readers<Swap> = {
  group: essential(text),
  instance: essential(text),
  reason: essential(leaveReason),
  state: essential(swapState),
  asg: maybe(text),
  pool: orElse(text, 'unknown'),
  offering: orElse(text, 'unknown'),
  claimedAtMs: orElse(number, 0),
  warnedAtMs: maybe(number),
  heardAtMs: maybe(number),
  launchedAtMs: maybe(number),
  deadlineMs: maybe(number),
  drain: maybe(text),
  chosenAtMs: maybe(number),
  drainOrderedAtMs: maybe(number),
  hooks: absentOr(eachOf(hook)),
  releaseAskedAtMs: maybe(number),
  drainStartedAtMs: maybe(number),
  leftTargetGroupsAtMs: maybe(mapOf(number)),
  busyUntilMs: maybe(number),
  isUnread: maybe(flag),
  drainedAtMs: maybe(number),
  goneAtMs: maybe(number),
  withdrawnAtMs: maybe(number),
  keptUntilMs: maybe(number),
  leftToGroup: maybe(oneOf(true)),
  shortfall: readShortfall,
  decision: orElse(text, 'unknown'),
};

/** Reads a swap, of this version or of an earlier one, which had one hook at most. */
export const readSwap = (item: Item): Reading<Swap> => {
  const { [keys.item]: _item, [ttlAttribute]: _ttl, schema: _schema, hook: only, ...fields } = item;
  return readFields(readers, only === undefined || fields.hooks !== undefined ? fields : { ...fields, hooks: [only] });
};
