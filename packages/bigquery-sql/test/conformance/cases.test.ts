import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { loadCases } from '../../conformance/cases.ts';
import { loadShipped } from '../../conformance/load-shipped.ts';

const cases = loadCases();
const subjects = (kind: string) =>
  new Set(cases.filter((one) => one.kind === kind).map(({ subject }) => subject));

test('there are enough cases for functions and constructs', () => {
  expect(subjects('function').size).toBeGreaterThanOrEqual(220);
  expect(subjects('construct').size).toBeGreaterThanOrEqual(60);
  expect(cases.length).toBeGreaterThanOrEqual(3000);
});

test('every placeholder is replaced', () => {
  expect(cases.filter(({ sql, referenceSql }) => `${sql} ${referenceSql}`.includes('${'))).toEqual([]);
});

test('an expression becomes a query, with every combination of its inputs', () => {
  const found = cases.filter(({ subject, template }) => subject === 'DIV' && template.text.includes('-7'));
  expect(found.map(({ sql }) => sql)).toContain('select div(-7, 2)');
  expect(found).toHaveLength(12);
});

test('every saved query has cases', () => {
  const shipped = new Set(loadShipped().cases.map(({ subject }) => subject));
  const files = globSync('queries/*.sql').map((file) => basename(file, '.sql'));
  expect([...shipped].sort()).toEqual(files.sort());
});
