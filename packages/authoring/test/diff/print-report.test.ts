import { expect, test } from 'vitest';
import { annotations, reportText } from '../../src/diff/print-report.ts';
import type { Report } from '../../src/diff/report.ts';

const report: Report = {
  ref: 'main',
  commit: '0',
  unchanged: 2,
  notes: ['a\n::error::b is removed'],
  endpoints: [
    {
      name: 'a.first',
      changes: [
        {
          kind: 'enum-value-added',
          level: 'safe',
          rest: 'safe',
          graphql: 'safe',
          message: 'value x\n::error::y \u001b[31m added',
          effect: 'nothing',
          place: { file: 'queries/a.sql', line: 3 },
          before: undefined,
          schema: [],
        },
        {
          kind: 'column-wire',
          level: 'breaking',
          rest: 'breaking',
          graphql: 'dangerous',
          message: '100 %',
          effect: 'text in `REST`',
          place: undefined,
          before: { file: 'main:queries/a.sql', line: 4 },
          schema: [],
        },
        ...['first', 'second', 'third'].map((message) => ({
          kind: 'description',
          level: 'safe' as const,
          rest: 'safe' as const,
          graphql: 'safe' as const,
          message,
          effect: 'other documentation',
          place: { file: 'queries/a.sql', line: 5 },
          before: undefined,
          schema: [],
        })),
      ],
    },
  ],
};

test('each change is on one line with its place, whatever the files contain', () => {
  expect(reportText(report, (_, text) => text)).toBe(`a.first
  safe       queries/a.sql:3 value x ::error::y  [31m added
             nothing
  breaking   main:queries/a.sql:4 100 %
             REST breaking, GraphQL dangerous: text in REST
  safe       queries/a.sql:5 first, and 2 more of this kind

note: a ::error::b is removed

1 breaking, 4 safe changes of 1 endpoint; 2 endpoints are as at main
`);
});

test('annotations of GitHub are those that are not safe', () => {
  expect(annotations(report)).toBe(
    '::error title=querygate diff%3A breaking::a.first: 100 %25: text in REST\n',
  );
});
