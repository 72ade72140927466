import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonSchemas } from '../../release/json-schemas.ts';
import { headerSchema } from '../../src/catalog/header/header-schema.ts';
import { problemsText } from '../../src/problems/print-problems.ts';
import { testFileSchema } from '@querygate/authoring/test-schema';
import { StartError } from '../../src/errors.ts';
import { runQuerygate } from '../support/gateway-process.ts';

const read = (file: string) => readFileSync(file, 'utf8');

describe('JSON Schemas for editors', () => {
  test('are those of the code and the documentation; npm run generate writes them', () => {
    for (const [file, text] of jsonSchemas()) expect(read(file), file).toBe(text);
  });

  test('have every key, each with what it means', () => {
    for (const [file, schema] of [
      ['schemas/saved-query.schema.json', headerSchema],
      ['schemas/query-tests.schema.json', testFileSchema],
    ] as const) {
      const { properties } = JSON.parse(read(file)) as {
        properties: Readonly<Record<string, { description?: string }>>;
      };
      expect(Object.keys(properties)).toEqual(Object.keys(schema.shape));
      for (const [key, { description }] of Object.entries(properties))
        expect(description, `${file} ${key}`).toMatch(/\w/);
    }
  });

  test('are named in the first line of every shipped header and test', () => {
    for (const file of globSync(['queries/*.sql', 'queries/tests/*.yaml'])) {
      const [first = '', second = ''] = read(file).split('\n');
      const line = file.endsWith('.sql') ? second : first;
      const [, path = ''] = /^# yaml-language-server: \$schema=(\S+)$/.exec(line) ?? [];
      expect([...jsonSchemas().keys()], file).toContain(normalize(join(dirname(file), path)));
    }
  });

  test('are part of the package', () => {
    expect((JSON.parse(read('package.json')) as { files: readonly string[] }).files).toContain('schemas');
  });
});

interface Matcher {
  readonly pattern: { regexp: string } | readonly { regexp: string }[];
}

describe('the example workspace for VS Code', () => {
  const folder = 'deploy/editors/vscode';
  const workspace = JSON.parse(read(`${folder}/querygate.code-workspace`)) as {
    tasks: {
      tasks: readonly {
        label: string;
        problemMatcher: Matcher | readonly Matcher[];
      }[];
    };
  };
  const patterns = workspace.tasks.tasks
    .flatMap(({ problemMatcher }) => problemMatcher)
    .flatMap(({ pattern }) => pattern)
    .map(({ regexp }) => new RegExp(regexp));

  test('finds the problems that check prints', () => {
    const [pattern = /^$/] = patterns;
    const error = new StartError('x', [
      { file: '/a b/q.sql', line: 3, column: 7, message: 'no table is named x' },
      { file: 'queries/tests/q.yaml', line: 4, message: 'unknown: y' },
    ]);
    const found = problemsText(error)
      .split('\n')
      .flatMap((line) => [pattern.exec(line)?.slice(1)].filter((match) => match !== undefined));
    expect(found).toEqual([
      ['/a b/q.sql', '3', '7', 'no table is named x'],
      ['queries/tests/q.yaml', '4', undefined, 'unknown: y'],
    ]);
  });

  test('finds failed tests', () => {
    const [check, title = /^$/, place = /^$/, load] = patterns;
    expect(title.exec('✗ hits › the last day 31 ms')?.[1]).toBe('hits › the last day');
    expect(place.exec('    queries/tests/hits.yaml:12')?.slice(1)).toEqual(['queries/tests/hits.yaml', '12']);
    expect(place.exec('    queries/checks/hits.sql:3')?.slice(1)).toEqual(['queries/checks/hits.sql', '3']);
    // Files of tests with problems are printed as check prints them.
    expect(load).toEqual(check);
  });

  test('the grammar begins and ends where headers do', () => {
    const extension = `${folder}/.vscode/extensions/querygate-headers`;
    const { contributes } = JSON.parse(read(`${extension}/package.json`)) as {
      contributes: { grammars: readonly { path: string }[] };
    };
    const grammar = JSON.parse(read(join(extension, contributes.grammars[0]?.path ?? ''))) as {
      patterns: readonly { begin: string; end: string }[];
    };
    const { begin = '', end = '' } = grammar.patterns[0] ?? {};
    for (const file of globSync('queries/*.sql')) {
      const lines = read(file).split('\n');
      expect(
        lines.findIndex((line) => new RegExp(begin).test(line)),
        file,
      ).toBe(0);
      const last = lines.findIndex((line) => new RegExp(end).test(line));
      expect(lines[last], file).toBe('---*/');
      expect(lines.slice(last + 1).some((line) => new RegExp(begin).test(line))).toBe(false);
    }
  });
});

test('the settings of SQLFluff in the documentation are those that check prints', async () => {
  const [, documented = ''] = /```ini\n([\s\S]*?)```/.exec(read('docs/editors.md')) ?? [];
  const settings = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const { exitCode, output } = await runQuerygate(['check', '--sqlfluff']);
  expect(exitCode).toBe(0);
  expect(settings(documented)).toEqual(settings(output));
});
