import Table from 'cli-table3';
import logUpdate from 'log-update';
import pc from 'picocolors';
import type { Glance } from '../sandbox/door.ts';
import { clockText } from './time.ts';

/** Shows a running world: redrawn in a terminal, one line for every change elsewhere. */
export type LiveView = { show(glance: Glance): void; close(): void };

const zoneRow = ({ zone, members, spotLeft }: Glance['zones'][number]) => [
  zone,
  spotLeft === null ? 'unlimited' : spotLeft === 0 ? pc.red('0') : String(spotLeft),
  members.map(({ mark }) => mark).join(' ') || pc.dim('none'),
];

const draw = ({ nowMs, about, zones, groups, drains, requests }: Glance): string => {
  const table = new Table({
    head: ['zone', 'spot left', 'instances'],
    style: { head: [], border: [] },
    colWidths: [14, 12, 70],
    wordWrap: true,
  });
  for (const zone of zones) table.push(zoneRow(zone));
  return [
    `${pc.bold(clockText(nowMs))}  ${about}`,
    table.toString(),
    ...groups.map(({ group, desired, serving, coming, leaving }) => {
      const text = `${group}: ${serving} of ${desired} serve, ${coming} coming, ${leaving} leaving`;
      return serving >= desired ? pc.green(text) : pc.yellow(text);
    }),
    `drains running: ${drains.join(', ') || 'none'}`,
    `requests: ${requests.served} served, ${requests.dropped} dropped`,
    pc.dim('S spot  D on-demand  lower case: coming up  !: warned  ~: draining'),
  ].join('\n');
};

const line = ({ nowMs, groups, drains, requests }: Glance): string =>
  [
    clockText(nowMs),
    ...groups.map(
      ({ group, desired, serving, coming, leaving }) =>
        `${group}: ${serving}/${desired} serving, ${coming} coming, ${leaving} leaving`,
    ),
    `drains ${drains.length}`,
    `dropped ${requests.dropped}`,
  ].join('  ');

/** A view for this terminal, or plain lines without a terminal. */
export const createLiveView = (isTerminal: boolean): LiveView => {
  if (isTerminal) return { show: (glance) => logUpdate(draw(glance)), close: () => logUpdate.done() };
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
