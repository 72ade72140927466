import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { projectOf, testFiles } from './support/projects.ts';

describe('the project of a test file', () => {
  test.each([
    ['browser', 'test/browser/pages.test.ts'],
    ['process', 'test/process/command.test.ts'],
    ['app', 'test/http/caching.test.ts'],
    ['app', 'test/engines/duckdb.test.ts'],
    ['memory', 'test/results/result-store.test.ts'],
    ['unit', 'test/keys/key-text.test.ts'],
    ['unit', 'test/catalog/header/parse-saved-query.test.ts'],
    ['unit', 'packages/bigquery-sql/test/syntax/pipes.test.ts'],
    ['timing', 'test/http/event-loop.timing.test.ts'],
  ])('is %s for %s', (project, file) => {
    expect(projectOf(file)).toBe(project);
  });

  test('is timing for all that measure processor time, and none repeats a test until it passes', () => {
    const files = testFiles();
    const having = (pattern: RegExp) => files.filter((file) => pattern.test(readFileSync(file, 'utf8')));
    const measuring = having(/\/(?:processor-time|longest-turn|block-meter)\.ts'/);
    expect(measuring.filter((file) => projectOf(file) !== 'timing')).toEqual([]);
    expect(having(/\bretry: \d/)).toEqual([]);
  });

  test('is process or browser for everything in the folder of that name', () => {
    const others = (folder: string, allowed: readonly string[]) =>
      globSync(`test/${folder}/**/*.test.ts`).filter((file) => !allowed.includes(projectOf(file)));
    expect(others('browser', ['browser'])).toEqual([]);
    expect(others('process', ['process', 'timing'])).toEqual([]);
  });
});
