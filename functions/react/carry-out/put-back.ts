import type { Added } from '../../../core/view/added.ts';
import type { RaisedMax } from '../../../core/view/raised-max.ts';
import type { Suspension } from '../../../core/view/suspension.ts';
import type { Run } from '../run.ts';
import { unlessRefused } from './unless-refused.ts';

/** What puts back what Holdfast changed in an Auto Scaling group. A group that was let go has only its name. */
type PuttingBack = Parameters<typeof unlessRefused>[0] & Pick<Run, 'provider'>;

export const putMaxBack = (run: PuttingBack, about: RaisedMax, outside: string | undefined) =>
  unlessRefused(
    run,
    { problem: 'A maximum could not be put back.', about },
    run.provider.restoreMax(about, outside),
    'not-yet',
  );

export const lowerMax = (run: PuttingBack, about: RaisedMax) =>
  unlessRefused(
    run,
    { problem: 'A raised maximum could not be lowered.', about },
    run.provider.lowerMax(about),
    'refused',
  );

/** Lowers a desired capacity by what attaching added, and a maximum that was raised for it. */
export const takeDown = (run: PuttingBack, about: Added, raised?: RaisedMax) =>
  unlessRefused(
    run,
    { problem: 'A desired capacity could not be lowered by what attaching added.', about },
    run.provider.takeDown(about, raised),
    { kind: 'refused' },
  );

/** Resumes processes that we suspended. */
export const resume = (run: PuttingBack, about: Suspension) =>
  unlessRefused(
    run,
    {
      problem: 'Processes that Holdfast suspended in an Auto Scaling group could not be resumed. Holdfast tries again.',
      about,
    },
    run.provider.resume(about),
    'refused',
  );
