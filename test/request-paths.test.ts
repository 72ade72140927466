import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(file, 'utf8');

test('request-paths.txt has the functions that requests pass, and architecture.md their numbers; npm run generate writes them', () => {
  const printed = execFileSync(process.execPath, ['release/request-paths.ts', '--print'], {
    encoding: 'utf8',
  });
  const files = ['docs/architecture.md', 'test/request-paths.txt'];
  expect(JSON.parse(printed)).toEqual(Object.fromEntries(files.map((file) => [file, read(file)])));
});

test('an answer that is kept passes no call, no executor and no renderer', () => {
  const text = read('test/request-paths.txt');
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
