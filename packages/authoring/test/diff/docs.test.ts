import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { levels } from '../../src/diff/levels.ts';
import { rules } from '../../src/diff/verdicts.ts';
import { runQuerygate } from '../../../../test/support/gateway-process.ts';

const page = readFileSync('docs/diff.md', 'utf8');

const rowsOf = (heading: string) =>
  (page.split(heading)[1] ?? '')
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));

describe('docs/diff.md', () => {
  test('has every kind of change with its verdicts', () => {
    const [, ...rows] = rowsOf('## Kinds of changes') ?? [];
    const stated = rows.map(([kind = '', , rest, graphql, effect]) => [
      kind.slice(1, -1),
      { rest, graphql, effect },
    ]);
    const judged = Object.entries(rules).map(([kind, { rest, graphql, effect }]) => [
      kind,
      { rest, graphql, effect },
    ]);
    expect(stated).toHaveLength(judged.length);
    expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(judged));
  });

  test('explains every level', () => {
    expect(page).toMatch(new RegExp(levels.map((level) => `\\| ${level} \\| .*\n`).join('')));
  });

  test('names commands and options that exist', async () => {
    const lines = [...page.matchAll(/npx querygate (\w+)([^`\n]*)/g)];
    expect(new Set(lines.map(([, command]) => command))).toEqual(new Set(['check', 'test', 'diff']));
    for (const [line, command = '', rest = ''] of lines) {
      const { exitCode, output } = await runQuerygate([command, '--help']);
      expect(exitCode, line).toBe(0);
      expect(output).toContain(`Usage: querygate ${command} `);
      for (const [option] of rest.matchAll(/--[a-z-]+/g)) expect(output, line).toContain(`  ${option}`);
    }
  });
});
