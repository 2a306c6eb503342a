import { readFileSync, writeFileSync } from 'node:fs';
import { withTimes } from './times-table.ts';

const page = 'docs/architecture.md';
writeFileSync(page, withTimes(readFileSync(page, 'utf8')));
