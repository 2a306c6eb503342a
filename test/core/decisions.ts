import { emptyDraft } from '../../core/decide/draft.ts';
import type { Decision } from '../../core/decision/decision.ts';

const { lack: _lack, remarks: _remarks, ...nothing } = emptyDraft;

/** A decision that does nothing, with these changes. */
export const decisionOf = (rest: Partial<Decision> = {}): Decision => ({ group: 'web', desired: 3, staying: 3, ...nothing, ...rest });
