// expects nothing
import { CreateFleet$ } from '@aws-sdk/client-ec2';
import type { Market } from '../../core/pool/offering.ts';
import { tags } from '../../core/contract.ts';
import { createFunctions } from './functions/functions.ts';

export const all = (market: Market): unknown => [CreateFleet$, tags, createFunctions, market];
