// expects nothing
import { Stack } from 'aws-cdk-lib';
import { env } from '../core/contract.ts';
import { Tables } from './tables.ts';

export const all = [Stack, env, Tables];
