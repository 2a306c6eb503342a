// expects nothing
import type { Offering } from '../offering.ts';
import { other } from './other.ts';

export const rounded = (offering: Offering): number => Math.round(other(offering));
