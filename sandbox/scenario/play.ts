import { items } from '../../core/contract.ts';
import { record } from '../judge/record.ts';
import { type LoadReading, startLoadAlarm } from '../outside/load-alarms.ts';
import { surroundingsOf } from '../outside/surroundings.ts';
import { startWriter } from '../outside/writers.ts';
import { followTrace } from './follow-trace.ts';
import { type Glance, glanceAt } from './glance.ts';
import { type Observation, observe } from './observe.ts';
import { perform, withArns } from './perform.ts';
import type { Report } from './report.ts';
import { reportOn } from './report-on.ts';
import { ScenarioError } from './scenario-error.ts';
import { createGroupOf, desiredOf, type GroupOf, policiesOf } from './scenario-groups.ts';
import type { Scenario } from './scenario-schema.ts';
import type { Stage } from './stage.ts';
import { toWorldSpec } from './to-world-spec.ts';
import { changesIn } from './trace.ts';
import { readTraceFile } from './trace-file.ts';

/** How long the timeline waits for the groups to come up. */
const warmUpMs = 300_000;
const lookEveryMs = 1_000;
/** After the last step, the group is given this long to come to rest. */
const restMs = 180_000;

/** How long a policy may wait for its judgement. */
const judgementMs = 60_000;

/** The progress of a scenario, and a way to read its world. */
export type Progress = { readonly phase: 'warming-up' | 'playing' | 'resting' | 'ended'; readonly glance: () => Glance };

const phaseText: Readonly<Record<Progress['phase'], string>> = {
  'warming-up': 'the groups come up',
  playing: 'the scenario plays',
  resting: 'coming to rest',
  ended: 'ended',
};

const everythingServes = (scenario: Scenario, observation: Observation): boolean =>
  policiesOf(scenario).every((policy) => observation.servingNow(policy.group) >= desiredOf(policy));

const waitUntil = async (stage: Stage, holds: () => boolean, atMostMs: number): Promise<void> => {
  const untilMs = stage.clock.now() + atMostMs;
  while (!holds() && stage.clock.now() < untilMs) await stage.clock.sleep(lookEveryMs);
};

const beginTrace = async (stage: Stage, { trace, lasts }: Scenario): Promise<void> => {
  if (trace === undefined) return;
  const recorded = await readTraceFile(trace.file);
  const changes = changesIn(recorded, { ...trace, lastsMs: lasts, noticeMs: trace.notice });
  followTrace(stage, changes, { instanceType: trace.instanceType, noticeMs: trace.notice });
};

type Status = {
  readonly group?: string;
  readonly item?: string;
  readonly status?: string;
  readonly problems?: readonly { readonly message: string }[];
};

/** A scenario whose first policies are refused would play to its end without doing anything. */
const awaitJudgement = async (stage: Stage, scenario: Scenario): Promise<void> => {
  const untilMs = stage.clock.now() + judgementMs;
  let open = scenario.policies.map(({ group }) => group);
  while (open.length > 0 && stage.clock.now() < untilMs) {
    await stage.clock.sleep(lookEveryMs);
    const judged = ((await stage.items('groups')) as readonly Status[]).filter(({ item }) => item === items.status);
    const refused = judged.filter(({ group, status }) => open.includes(group ?? '') && status === 'rejected');
    if (refused.length > 0) throw new ScenarioError(refused.map(refusalText).join('\n'));
    open = open.filter((group) => !judged.some((one) => one.group === group));
  }
};

const refusalText = ({ group, problems = [] }: Status): string =>
  [`The policy of ${group} was refused, so there is nothing to play:`, ...problems.map(({ message }) => `  ${message}`)].join('\n');

const playTimeline = async (stage: Stage, scenario: Scenario, groupOf: GroupOf): Promise<void> => {
  const startMs = stage.clock.now();
  for (const { atMs, action } of scenario.timeline.toSorted((a, b) => a.atMs - b.atMs)) {
    await stage.clock.sleep(Math.max(0, startMs + atMs - stage.clock.now()));
    await perform(stage, action, groupOf);
  }
  await stage.clock.sleep(Math.max(0, startMs + scenario.lasts - stage.clock.now()));
};

const loadOf = ({ world }: Stage, name: string): LoadReading | undefined => {
  const group = world.snapshot().targetGroups.find((one) => one.name === name);
  return group && { requests: group.served + group.dropped, healthy: group.healthy };
};

const isQuiet = (stage: Stage): boolean =>
  stage.executions().every(({ status }) => status !== 'RUNNING') &&
  stage.world.snapshot().instances.every(({ state, takenAtMs }) => state !== 'pending' && (takenAtMs === undefined || state === 'terminated'));

/** Plays a scenario to its end and reports on it: policies in, the groups up, the timeline, rest, the invariants. */
export const playScenario = (stage: Stage, scenario: Scenario, onProgress: (progress: Progress) => void = () => undefined): Promise<Report> => {
  const groupOf = createGroupOf(stage, scenario);
  const observation = observe(stage.world, groupOf, () => stage.clock.now());
  const recorder = record(stage, { name: scenario.name, seed: scenario.seed, spec: toWorldSpec(scenario.world), clockErrorMs: 0 });
  const tell = (phase: Progress['phase']): void =>
    onProgress({ phase, glance: () => glanceAt(stage, scenario, observation, groupOf, `${scenario.name}: ${phaseText[phase]}`) });
  const play = async (): Promise<Report> => {
    const startedAtMs = stage.clock.now();
    const startedAtWallMs = performance.now();
    tell('warming-up');
    await beginTrace(stage, scenario);
    const strangers = stage.world
      .snapshot()
      .instances.filter(({ id }) => groupOf(id) === undefined)
      .map(({ id }) => id);
    for (const policy of scenario.policies) await stage.putPolicy(withArns(stage, policy));
    await awaitJudgement(stage, scenario);
    await waitUntil(stage, () => everythingServes(scenario, observation), warmUpMs);
    observation.markReady();
    recorder.markReady();
    const costAtReady = stage.world.cost();
    tell('playing');
    const writers = scenario.writers.map((spec, index) => startWriter(surroundingsOf(stage, scenario.seed, `${spec.kind} ${index + 1}`), spec));
    const alarms = scenario.alarms.map((spec) => startLoadAlarm({ ...stage, read: (name) => loadOf(stage, name) }, spec));
    await playTimeline(stage, scenario, groupOf);
    for (const writer of [...writers, ...alarms]) writer.stop();
    tell('resting');
    recorder.markCalm();
    await waitUntil(stage, () => isQuiet(stage), restMs);
    tell('ended');
    const history = await recorder.history(isQuiet(stage) ? stage.clock.now() : undefined);
    const wallMs = performance.now() - startedAtWallMs;
    return reportOn(stage, scenario, { observation, startedAtMs, wallMs, costAtReady, strangers, history }, groupOf);
  };
  return stage.drive(play());
};
