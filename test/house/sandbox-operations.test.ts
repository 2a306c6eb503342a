import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestWorld } from '../sandbox/world/build.ts';

const page = await readFile(join(import.meta.dirname, '../../docs/sandbox.md'), 'utf8');
const { services } = createTestWorld().world;

const rows = { ec2: 'EC2', autoscaling: 'Auto Scaling', elasticloadbalancing: 'Elastic Load Balancing v2' } as const;

/** Words that begin with two parts, as `CreateFleet` does. Names of other things on the line have another form. */
const operationsIn = (row: string): readonly string[] => row.match(/\b[A-Z][a-z]+(?:[A-Z][A-Za-z]*)+\b/g) ?? [];

describe('the list of simulated operations in docs/sandbox.md', () => {
  it.each(Object.entries(rows))('has those of %s, and no others', (service, title) => {
    const row = page.split('\n').find((line) => line.startsWith(`| ${title} |`)) ?? '';
    const simulated = Object.keys(services.find((one) => one.service === service)?.operations ?? {});
    expect(operationsIn(row).toSorted()).toEqual(simulated.toSorted());
  });
});
