import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import type { Cloud } from './cloud.ts';
import { refusal } from './expectation.ts';

/** The error of one call under one fault; only our own cloud can inject faults. */
export const under = async (cloud: Cloud, fault: FaultInput, call: () => Promise<unknown>): Promise<Error> => {
  cloud.setFaults?.([{ ...fault, times: 1 } as FaultInput]);
  try {
    return await refusal(call());
  } finally {
    cloud.setFaults?.([]);
  }
};
