import Table from 'cli-table3';
import logUpdate from 'log-update';
import pc from 'picocolors';
import type { Glance, Progress, Scenario } from '../sandbox/door.ts';
import { clockText } from './time.ts';

/** Shows a running world: redrawn in a terminal, one line for every change elsewhere. */
export type LiveView = { show(glance: Glance): void; close(): void };

const zoneRow = ({ zone, members, spotLeft }: Glance['zones'][number]) => [
  zone,
  spotLeft === null ? 'unlimited' : spotLeft === 0 ? pc.red('0') : String(spotLeft),
  members.map(({ mark }) => mark).join(' ') || pc.dim('none'),
];

type Group = Glance['groups'][number];

/** This many groups are shown one by one. More would not fit on a screen. */
const mostNamed = 8;

const isWhole = ({ serving, desired }: Group): boolean => serving >= desired;

/** Groups that lack most members come first. */
const byNeed = (groups: readonly Group[]): readonly Group[] =>
  groups.toSorted((a, b) => b.desired - b.serving - (a.desired - a.serving) || b.leaving - a.leaving);

const summary = (groups: readonly Group[]): string => {
  const sum = (of: (group: Group) => number): number => groups.reduce((total, group) => total + of(group), 0);
  const whole = groups.filter(isWhole).length;
  return [
    `${whole} of ${groups.length} groups are at full size: `,
    `${sum(({ serving }) => serving)} of ${sum(({ desired }) => desired)} members serve, `,
    `${sum(({ coming }) => coming)} coming, ${sum(({ leaving }) => leaving)} leaving`,
  ].join('');
};

const rowOf = (group: Group): string => {
  const { desired, serving, coming, leaving } = group;
  const text = `${group.group}: ${serving} of ${desired} serve, ${coming} coming, ${leaving} leaving`;
  return isWhole(group) ? pc.green(text) : pc.yellow(text);
};

const groupRows = (groups: readonly Group[]): readonly string[] => {
  if (groups.length <= mostNamed) return groups.map(rowOf);
  const named = byNeed(groups).slice(0, mostNamed);
  return [pc.bold(summary(groups)), ...named.map(rowOf), pc.dim(`and ${groups.length - named.length} more groups`)];
};

const lineOf = (groups: readonly Group[]): readonly string[] =>
  groups.length > mostNamed
    ? [summary(groups)]
    : groups.map(
        ({ group, desired, serving, coming, leaving }) =>
          `${group}: ${serving}/${desired} serving, ${coming} coming, ${leaving} leaving`,
      );

const zoneWidth = 14;
const spotWidth = 12;
const borders = 4;
/** A wider column would only be empty, and in a narrower one each instance would need a line. */
const instancesWidth = (columns: number): number =>
  Math.min(70, Math.max(14, columns - zoneWidth - spotWidth - borders));

const draw = ({ nowMs, about, zones, groups, drains, requests }: Glance, columns: number): string => {
  const table = new Table({
    head: ['zone', 'spot left', 'instances'],
    style: { head: [], border: [] },
    colWidths: [zoneWidth, spotWidth, instancesWidth(columns)],
    wordWrap: true,
  });
  for (const zone of zones) table.push(zoneRow(zone));
  return [
    `${pc.bold(clockText(nowMs))}  ${about}`,
    table.toString(),
    ...groupRows(groups),
    `drains running: ${drains.length > mostNamed ? drains.length : drains.join(', ') || 'none'}`,
    `requests: ${requests.served} served, ${requests.dropped} dropped`,
    pc.dim('S spot  D on-demand  lower case: coming up  !: warned  ~: draining'),
  ].join('\n');
};

const line = ({ nowMs, groups, drains, requests }: Glance): string =>
  [clockText(nowMs), ...lineOf(groups), `drains ${drains.length}`, `dropped ${requests.dropped}`].join('  ');

/** Reads the width of the terminal anew for each picture, because the user may change it. Absent: no terminal. */
type Columns = () => number | undefined;

/** A view for a terminal of this width, or plain lines without a terminal. */
export const createLiveView = (columns: Columns): LiveView => {
  if (columns() !== undefined)
    return { show: (glance) => logUpdate(draw(glance, columns() ?? 80)), close: () => logUpdate.done() };
  let last = '';
  return {
    show: (glance) => {
      const text = line(glance);
      if (text.slice(8) === last) return;
      last = text.slice(8);
      console.log(text);
    },
    close: () => undefined,
  };
};

const redrawEveryMs = 500;

/**
 * Shows a live scenario while it plays: at each new phase, and again and again in between. A simulated scenario ends
 * too soon for that.
 */
export const follow = (view: LiveView, mode: Scenario['mode']) => {
  let timer: NodeJS.Timeout | undefined;
  let latest: Progress['glance'] | undefined;
  const draw = (): void => {
    if (latest !== undefined) view.show(latest());
  };
  return {
    onProgress: ({ phase, glance }: Progress): void => {
      if (mode === 'simulated') return;
      latest = glance;
      timer ??= setInterval(draw, redrawEveryMs);
      draw();
      if (phase === 'ended') clearInterval(timer);
    },
    stop: (): void => {
      clearInterval(timer);
      view.close();
    },
  };
};
