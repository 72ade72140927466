import { spawnSync } from 'node:child_process';

/** Whether tests of a program run: where it is installed, and in CI, where they fail without it. */
export const hasProgram = (name: string, option = '--version'): boolean =>
  process.env.CI === 'true' || spawnSync(name, [option]).error === undefined;
