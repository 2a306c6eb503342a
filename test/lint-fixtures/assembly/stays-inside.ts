// expects nothing
import { functionNames } from '../core/contract.ts';
import { bundle } from './bundle.ts';

export const all = [functionNames, bundle];
