import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { levels } from '../../src/diff/levels.ts';
import { rules } from '../../src/diff/verdicts.ts';
import { runQuerygate } from '../../../../test/support/gateway-process.ts';

const page = readFileSync('docs/diff.md', 'utf8');

/** Every kind with what the page says of it: its levels are in the heading above, and equal effects share a line. Kinds
 * that are safe for all are only listed. */
function statedKinds() {
  const [, text = ''] = page.split('## Kinds of changes');
  const [list = ''] = text.split('\n## ');
  const sections = list.matchAll(/^### (?<rest>\w+) in REST, (?<graphql>\w+) in GraphQL\n(?<lines>[^#]*)/gm);
  return [...sections].flatMap(({ groups }): (readonly [string, object])[] => {
    const { rest, graphql, lines = '' } = groups ?? {};
    if (rest === 'safe' && graphql === 'safe') {
      const [listed = ''] = lines.split('. ');
      return [...listed.matchAll(/`(.*?)`/g)].map(([, kind = '']) => [kind, { rest, graphql }]);
    }
    const items = [...lines.replaceAll('\n  ', ' ').matchAll(kindsAndEffect)];
    expect(items).toHaveLength(lines.match(/^- /gm)?.length ?? 0);
    return items.flatMap((item) =>
      [...(item.groups?.kinds ?? '').replace(/ \(.*?\)/g, '').matchAll(/`(.*?)`/g)].map(
        ([, kind = '']) => [kind, { rest, graphql, effect: item.groups?.effect }] as const,
      ),
    );
  });
}

const kindsAndEffect = /^- (?<kinds>`[\w-]+`(?: \([^)]*\))?(?:, `[\w-]+`(?: \([^)]*\))?)*): (?<effect>.*)$/gm;

describe('docs/diff.md', () => {
  test('has every kind of change with its verdicts', () => {
    const stated = statedKinds();
    const judged = Object.entries(rules).map(([kind, { rest, graphql, effect }]) => [
      kind,
      rest === 'safe' && graphql === 'safe' ? { rest, graphql } : { rest, graphql, effect },
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
