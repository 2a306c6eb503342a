// expects lint/performance/noBarrelFile
export { a } from './other.ts';
export { b } from './another.ts';
