import type { Market } from '../../core/offering.ts';

/** What becomes of instances once they are launched: they come up, die before they run, or run and never answer. */
export type BootFate = 'well' | 'dies' | 'never-answers';

/** Instances that a fate is for; what is left out matches all. */
export type BootFilter = { readonly instanceType?: string; readonly zone?: string; readonly market?: Market };

type Launched = { readonly instanceType: string; readonly zone: string; readonly market: Market };

export type BootFates = {
  /** From now on launches that match have this fate; what was set last counts. */
  set(filter: BootFilter, fate: BootFate): void;
  of(launched: Launched): BootFate;
};

const matches = (filter: BootFilter, { instanceType, zone, market }: Launched): boolean =>
  (filter.instanceType ?? instanceType) === instanceType && (filter.zone ?? zone) === zone && (filter.market ?? market) === market;

/** A broken image, a key without grants: what EC2 launches well and what does not come up all the same. */
export const createBootFates = (): BootFates => {
  const fates: { readonly filter: BootFilter; readonly fate: BootFate }[] = [];
  return {
    set: (filter, fate) => void fates.push({ filter, fate }),
    of: (launched) => fates.findLast(({ filter }) => matches(filter, launched))?.fate ?? 'well',
  };
};
