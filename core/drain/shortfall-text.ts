import type { CutBy, Shortfall } from '../swap/shortfall.ts';

const seconds = (ms: number): string => `${Math.max(0, Math.round(ms / 1000))} s`;

const two = (n: number): string => String(n).padStart(2, '0');

/** Time of day in UTC, `12:02:10`. */
export const timeOfDay = (atMs: number): string => {
  const second = Math.floor(atMs / 1000) % 86_400;
  return `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`;
};

const cutters: Readonly<Record<CutBy, string>> = {
  ec2: 'EC2',
  'auto-scaling': 'Auto Scaling',
  holdfast: 'Holdfast, which terminates the instance',
};

const areCut = ({ cutAtMs, by }: { readonly cutAtMs: number; readonly by: CutBy }): string =>
  `connections still open at ${timeOfDay(cutAtMs)} UTC are cut by ${cutters[by]}`;

const keptText = (keptUntilMs: number | undefined): string =>
  keptUntilMs === undefined
    ? 'it runs on, out of service, until someone terminates it'
    : `it takes work again, and is not chosen to leave before ${timeOfDay(keptUntilMs)} UTC`;

/** A shortfall as one sentence, for events and for the command line. */
export const shortfallText = (shortfall: Shortfall): string => {
  switch (shortfall.code) {
    case 'delay-exceeds-deadline':
      return (
        `deregistration delay ${seconds(shortfall.delayMs)} exceeds the ${seconds(shortfall.leftMs)} left: ` +
        areCut(shortfall)
      );
    case 'not-released':
      return `could not be taken out of service (${shortfall.awsCode}): its work is cut when it ends`;
    case 'still-in-service':
      return `could not be taken out of service (${shortfall.awsCode}): it stays in service, and Holdfast tries again`;
    case 'not-released-in-time':
      return `was not taken out of service in time: ${areCut(shortfall)}`;
    case 'still-draining':
      return `was still draining when its time ran out: ${areCut(shortfall)}`;
    case 'not-seen':
      return (
        'its time ran out, and AWS did not say whether its connections had closed: ' +
        'those still open are cut when it ends'
      );
    case 'drain-broke':
      return (
        `the drain failed (${shortfall.error}${shortfall.cause === undefined ? '' : `: ${shortfall.cause}`}): ` +
        'connections still open are cut when it ends'
      );
    case 'not-ended':
      return `could not be terminated (${shortfall.awsCode}): ${keptText(shortfall.keptUntilMs)}`;
    case 'ended-before-drain':
      return 'it had ended when its drain began: its work was cut';
    case 'let-go':
      return 'the group was let go: Holdfast does nothing more to the instance';
    case 'held-back':
      return `the mode of its group became ${shortfall.mode} before its drain had begun: the instance is left as it is`;
    case 'needed':
      return (
        `it stays: when its drain could begin, ${shortfall.serving} others served, ` +
        `and the group wants ${shortfall.desired}`
      );
    case 'prose':
      return shortfall.text;
  }
};
