import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('architecture.md has the functions that requests pass; npm run request-paths writes them', () => {
  const printed = execFileSync(process.execPath, ['release/request-paths.ts', '--print'], {
    encoding: 'utf8',
  });
  expect(printed).toBe(readFileSync('docs/architecture.md', 'utf8'));
});

test('an answer that is kept passes no call, no executor and no renderer', () => {
  const text = readFileSync('docs/architecture.md', 'utf8');
  const kept = [...text.matchAll(/^### [^\n]* whose answer is kept\n(?<list>[^#]*)/gm)];
  expect(kept).toHaveLength(2);
  for (const { groups } of kept)
    expect(groups?.list).not.toMatch(
      /`(?:call\/(?:gate|obtain|load-results)|formats\/|http\/graphql\/server|http\/rest\/rest)/,
    );
});
