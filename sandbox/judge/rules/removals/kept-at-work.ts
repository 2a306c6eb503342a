import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { choicesOf } from '../../members/choices.ts';
import { asgsOf } from '../../policy/policy.ts';
import { isHindered, type Way } from '../../told/hindrance.ts';
import { isFunction, isScheduled, type Life, type Service } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** What tells whether EC2 would end an instance. */
const asking: Way = { calls: { ec2: ['DescribeInstanceAttribute'] } };

/** Whether its user protects it from termination. EC2 refuses to end it then, whoever asks. */
const isGuarded = ({ protections }: Life, atMs: number): boolean =>
  protections.findLast((change) => change.from === 'termination' && change.atMs <= atMs)?.isOn === true;

/** How Holdfast took it out of service at a moment. */
const takenOutOf = ({ services }: Life, atMs: number): Service | undefined =>
  services.find(({ why, by, untilMs }) => why === 'deregistered' && isFunction(by) && untilMs === atMs);

/** EC2 alone would end it: no Auto Scaling group ever held it, and none holds members of its group. */
const isEndedByEc2 = (chronicle: Chronicle, { stays }: Life, group: string, fromMs: number, untilMs: number): boolean =>
  stays.length === 0 && chronicle.policiesIn(group, fromMs, untilMs).every((policy) => asgsOf(policy).length === 0);

export const guardedKeepWorking: Rule = {
  name: 'who EC2 will not end keeps its work',
  meaning:
    'Holdfast takes no member on demand out of service by choice while its user protects it from termination: EC2 would refuse to end it, so its connections would end for nothing. A protection counts that was there before the invocation that takes the member out began. The rule is about members that no Auto Scaling group holds, and that AWS does not retire.',
  broken: (chronicle) =>
    choicesOf(chronicle).flatMap(({ life, group, chosenAtMs, outAtMs }): readonly Broken[] => {
      const by = takenOutOf(life, outAtMs)?.by;
      const askedMs = isFunction(by) ? chronicle.invocations.get(by.invocation)?.beganAtMs : undefined;
      if (askedMs === undefined || !isGuarded(life, askedMs) || !isGuarded(life, outAtMs)) return [];
      if (isScheduled(life, outAtMs) || !isEndedByEc2(chronicle, life, group, chosenAtMs, outAtMs)) return [];
      if (isHindered(chronicle, asking, chosenAtMs, outAtMs)) return [];
      const detail = `${life.instance} is taken out of service, although its user protects it from termination`;
      return [{ group, instance: life.instance, atMs: outAtMs, detail }];
    }),
};
