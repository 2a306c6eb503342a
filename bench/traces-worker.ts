import { playTrace } from './traces.ts';

const { row, part } = JSON.parse(process.argv[2] ?? '{}');
console.log(JSON.stringify(await playTrace(row, part)));
