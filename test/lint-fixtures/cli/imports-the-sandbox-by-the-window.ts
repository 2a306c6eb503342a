// expects lint/style/noRestrictedImports
import type { World } from '../sandbox/world/world.ts';

export type Place = World;
