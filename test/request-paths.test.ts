import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('architecture.md has the functions that requests pass; npm run generate writes them', () => {
  const printed = execFileSync(process.execPath, ['release/request-paths.ts', '--print'], {
    encoding: 'utf8',
  });
  expect(printed).toBe(readFileSync('docs/architecture.md', 'utf8'));
});

test('an answer that is kept passes no call, no executor and no renderer', () => {
  const text = readFileSync('docs/architecture.md', 'utf8');
  const lines = [...text.matchAll(/^(?=[RGQE])(?<marks>[RGQE ]{4}) (?<file>[\w/-]+\.ts): /gm)];
  const kept = lines.flatMap(({ groups }) => (/[RG]/.test(groups?.marks ?? '') ? [groups?.file ?? ''] : []));
  expect(kept.length).toBeGreaterThan(20);
  expect(
    kept.filter((file) =>
      /^(?:call\/(?:gate|obtain|load-results)|formats\/|http\/graphql\/server|http\/rest\/rest)/.test(file),
    ),
  ).toEqual([]);
  expect(lines.some(({ groups }) => groups?.file === 'call/gate.ts')).toBe(true);
});
