import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '@querygate/bigquery-sql/problem';
import { type Document, isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';
import { compareRows } from './compare-rows.ts';
import { readTests } from './load-tests.ts';
import { rowText } from './print-outcomes.ts';
import type { TestOutcome } from './run-files.ts';
import type { TestFileData } from './test-schema.ts';

/** The tests that were changed, and the files that stay as they are because they are written in an unusual way. */
interface Updates {
  readonly updated: readonly TestOutcome[];
  readonly problems: readonly Problem[];
}

/** Writes the rows of failed tests into their files as the expected ones. All else in the files stays as it is. */
export function updateRows(outcomes: readonly TestOutcome[]): Updates {
  const updated: TestOutcome[] = [];
  const problems: Problem[] = [];
  for (const [file, own] of Map.groupBy(outcomes.filter(isUpdatable), ({ file }) => file.file)) {
    const before = readFileSync(file, 'utf8');
    const names = namesIn(before);
    let text = before;
    // From the end on: the places before a change stay the same.
    for (const outcome of own.toSorted((a, b) => b.test.at - a.test.at)) {
      const { at, line, name } = outcome.test;
      const isSame = names[at] === name;
      const changed = isSame ? withRows(text, outcome) : undefined;
      if (changed !== undefined && hasOtherRowsOnly(changed, text, outcome)) {
        text = changed;
        updated.push(outcome);
      } else problems.push({ file, line, message: isSame ? notUpdated : hasMoved });
    }
    if (text !== before) writeFileSync(file, text);
  }
  return { updated, problems };
}

const notUpdated =
  'is not updated: write the test as a map with a name of its own, without anchors and aliases';

const hasMoved = 'is not updated: the file was changed while the tests ran; run them again';

/** The names of the tests in a file, as they are when it is read. */
function namesIn(text: string): readonly (string | undefined)[] {
  const yaml = readTests(text, { columns: [] });
  const { tests } = (('data' in yaml && yaml.data) || {}) as Partial<TestFileData>;
  return Array.isArray(tests)
    ? tests.map((test: { readonly name?: string } | null) => test?.name?.trim())
    : [];
}

/**
 * Errors are not updated: that a query fails is rarely what its author meant. Nor are subsets, which the author chose, and
 * what an ASSERT says.
 */
const isUpdatable = ({ result, test, verdict }: TestOutcome): boolean =>
  !verdict.passed &&
  !verdict.isOfAssert &&
  result !== undefined &&
  !('error' in result) &&
  test.expect?.error === undefined &&
  test.expect?.match !== 'subset';

/** @returns undefined if the test has no place of its own in the text, as if it is an alias */
function withRows(text: string, { file: { query }, result, test }: TestOutcome): string | undefined {
  if (result === undefined || 'error' in result) return undefined;
  const { asserts, count, match, order, truncated, rows: hadRows } = test.expect ?? {};
  const hasOnlyCount = hadRows === undefined && count !== undefined;
  const others = {
    ...(match !== undefined && { match }),
    ...(order !== undefined && { order }),
    ...(count !== undefined && { count: result.rows.length }),
    ...(truncated !== undefined && { truncated: result.truncated }),
    ...(asserts !== undefined && { asserts }),
  };
  const rows = hasOnlyCount ? undefined : result.rows.map((row) => rowText(row, query.columns));
  const map = testAt(parseDocument(text), test.at);
  const name = map && pairNamed(map, 'name');
  if (map === undefined || name === undefined) return undefined;
  const indent = ' '.repeat(columnOf(text, startOf(name)));
  const written = map.flow ? flowExpect(others, rows) : blockExpect(others, rows, indent);
  const expect = pairNamed(map, 'expect');
  const last = map.items.at(-1) ?? name;
  const [start, end] =
    expect === undefined ? [endOf(text, last), endOf(text, last)] : [startOf(expect), endOf(text, expect)];
  const separator = map.flow ? ', ' : `\n${indent}`;
  return `${text.slice(0, start)}${expect === undefined ? separator : ''}${written}${text.slice(end)}`;
}

/** @param rows the texts of the rows; undefined if only their count is expected */
function blockExpect(others: object, rows: readonly string[] | undefined, indent: string): string {
  const lines = [
    'expect:',
    ...(Object.keys(others).length === 0 ? [] : [stringify(others).replace(/^/gm, `${indent}  `).trimEnd()]),
    ...(rows === undefined ? [] : [rows.length === 0 ? `${indent}  rows: []` : `${indent}  rows:`]),
    ...(rows ?? []).map((row) => `${indent}    - ${row}`),
  ];
  return lines.join('\n');
}

/** The same between brackets, where YAML has no blocks. */
function flowExpect(others: object, rows: readonly string[] | undefined): string {
  const members = [
    ...Object.entries(others).map(([key, value]) => `${key}: ${JSON.stringify(value)}`),
    ...(rows === undefined ? [] : [rows.length === 0 ? 'rows: []' : `rows: [ ${rows.join(', ')} ]`]),
  ];
  return `expect: { ${members.join(', ')} }`;
}

/** False if a change makes the text invalid, or changes more than what its test expects. */
function hasOtherRowsOnly(
  text: string,
  before: string,
  { file: { query }, test, result }: TestOutcome,
): boolean {
  const changed = readTests(text, query);
  const was = readTests(before, query);
  if ('problems' in changed || 'problems' in was || result === undefined || 'error' in result) return false;
  const { rows, count } = takeExpect(changed.data, test.at);
  takeExpect(was.data, test.at);
  const isSame =
    rows === undefined
      ? count === result.rows.length
      : compareRows(result.rows, { rows }, query.columns).differences.length === 0;
  return isSame && isDeepStrictEqual(changed.data, was.data);
}

/** The expectation of a test, which is then no longer part of the data. */
function takeExpect(data: unknown, at: number): NonNullable<TestFileData['tests'][number]['expect']> {
  const test = (data as TestFileData).tests[at];
  const { expect = {} } = test ?? {};
  if (test !== undefined) Reflect.deleteProperty(test, 'expect');
  return expect;
}

function testAt(document: Document, at: number): YAMLMap | undefined {
  const map = document.getIn(['tests', at], true);
  return isMap(map) ? map : undefined;
}

const pairNamed = (map: YAMLMap, name: string): Pair | undefined =>
  map.items.find(({ key }) => isScalar(key) && key.value === name);

const startOf = ({ key }: Pair): number => (isScalar(key) ? (key.range?.[0] ?? 0) : 0);

/** Where the value of a pair ends, without the blanks and line ends after it. */
function endOf(text: string, pair: Pair): number {
  const value = pair.value as { readonly range?: readonly [number, number, number] | null } | null;
  const end = value?.range?.[1] ?? startOf(pair);
  return text.slice(0, end).trimEnd().length;
}

const columnOf = (text: string, offset: number): number => offset - (text.lastIndexOf('\n', offset - 1) + 1);
