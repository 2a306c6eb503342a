import type { History } from '../history.ts';
import { isMap, type Json, mapsOf, numberOf, textOf } from '../read-json.ts';
import { nameOf, type OfferingName } from '../world/cloud.ts';

/** Why a decision passed over a pool or an offering, as far as the world can tell whether it is so. */
export type SaidAgainst =
  | { readonly code: 'refused'; readonly offering: OfferingName; readonly awsCode: string }
  | { readonly code: 'interrupted' | 'advised'; readonly offering: OfferingName }
  | { readonly code: 'over-price'; readonly offering: OfferingName; readonly pool: string; readonly price: number; readonly limit: number }
  | { readonly code: 'asg-gone'; readonly asg: string }
  | { readonly code: 'at-cap'; readonly pool: string; readonly held: number; readonly cap: number };

export type SaidRefusal = { readonly offering: OfferingName; readonly code: string };

/** What a stored decision says of the world. */
export type SaidReasons = {
  readonly id: string;
  readonly group: string;
  readonly causes: readonly string[];
  readonly against: readonly SaidAgainst[];
  readonly refusals: readonly SaidRefusal[];
  /** How many members its look found to serve, and when it looked. */
  readonly serving: { readonly count: number; readonly atMs: number };
};

const keyPattern = /^(.+)\/([^/]+)\/(spot|on-demand)$/;

const offeringOf = (key: unknown): OfferingName | undefined => {
  if (isMap(key)) return { instanceType: textOf(key.instanceType), zone: textOf(key.zone), market: key.market === 'spot' ? 'spot' : 'on-demand' };
  const [, instanceType = '', zone = '', market] = keyPattern.exec(textOf(key)) ?? [];
  return market === undefined ? undefined : { instanceType, zone, market: market === 'spot' ? 'spot' : 'on-demand' };
};

const againstOf = (said: Json): readonly SaidAgainst[] => {
  const { code, pool } = said;
  if (code === 'at-cap') return [{ code, pool: textOf(pool), held: numberOf(said.held), cap: numberOf(said.cap) }];
  if (code === 'asg-gone') return [{ code, asg: textOf(said.asg) }];
  const offering = offeringOf(said.offering);
  if (offering === undefined) return [];
  if (code === 'refused') return [{ code, offering, awsCode: textOf(said.awsCode) }];
  if (code === 'interrupted' || code === 'advised') return [{ code, offering }];
  if (code !== 'over-price') return [];
  return [{ code, offering, pool: textOf(pool), price: numberOf(said.priceUsdPerHour), limit: numberOf(said.limitUsdPerHour) }];
};

export const refusalsSaid = (list: unknown): readonly SaidRefusal[] =>
  mapsOf(list).flatMap(({ offering, code }) => {
    const named = offeringOf(offering);
    return named === undefined ? [] : [{ offering: named, code: textOf(code) }];
  });

export const reasonsSaid = ({ stored }: History): readonly SaidReasons[] =>
  stored.decisions.filter(isMap).map((record) => {
    const view = isMap(record.view) ? record.view : {};
    return {
      id: textOf(record.id),
      group: textOf(record.group),
      causes: mapsOf(record.causes).map(({ code }) => textOf(code)),
      against: mapsOf(record.rounds).flatMap(({ rejected }) => mapsOf(rejected).flatMap(againstOf)),
      refusals: mapsOf(isMap(record.outcome) ? record.outcome.launches : []).flatMap(({ refusals }) => refusalsSaid(refusals)),
      serving: { count: numberOf(view.serving), atMs: numberOf(view.nowMs) },
    };
  });

export const inWords = (said: SaidAgainst | SaidRefusal): string =>
  'offering' in said
    ? `${nameOf(said.offering)} ${said.code}${'awsCode' in said ? ` (${said.awsCode})` : ''}`
    : `${'pool' in said ? said.pool : said.asg} ${said.code}`;
