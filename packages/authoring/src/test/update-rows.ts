import { readFileSync, writeFileSync } from 'node:fs';
import { type Document, isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';
import { rowText } from './print-outcomes.ts';
import type { TestOutcome } from './run-files.ts';

/**
 * Writes the rows of failed tests into their files as the expected ones. All else in the files stays as it is.
 *
 * @returns the tests that were changed
 */
export function updateRows(outcomes: readonly TestOutcome[]): readonly TestOutcome[] {
  const changed = outcomes.filter(isUpdatable);
  for (const [file, own] of Map.groupBy(changed, ({ file }) => file.file)) {
    let text = readFileSync(file, 'utf8');
    // From the end on: the places before a change stay the same.
    for (const outcome of own.toSorted((a, b) => b.test.at - a.test.at)) text = withRows(text, outcome);
    writeFileSync(file, text);
  }
  return changed;
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

function withRows(text: string, { file: { query }, result, test }: TestOutcome): string {
  if (result === undefined || 'error' in result) return text;
  const { asserts, count, order, truncated, rows: hadRows } = test.expect ?? {};
  const hasOnlyCount = hadRows === undefined && count !== undefined;
  const others = {
    ...(order !== undefined && { order }),
    ...(count !== undefined && { count: result.rows.length }),
    ...(truncated !== undefined && { truncated: result.truncated }),
    ...(asserts !== undefined && { asserts }),
  };
  const map = testAt(parseDocument(text), test.at);
  const name = map && pairNamed(map, 'name');
  if (map === undefined || name === undefined) return text;
  const indent = ' '.repeat(columnOf(text, startOf(name)));
  const rows = result.rows.map((row) => `${indent}    - ${rowText(row, query.columns)}\n`);
  const rowLines = rows.length === 0 ? `${indent}  rows: []\n` : `${indent}  rows:\n${rows.join('')}`;
  const otherLines =
    Object.keys(others).length === 0 ? '' : stringify(others).replace(/^/gm, `${indent}  `).trimEnd();
  const lines = [`expect:`, otherLines, hasOnlyCount ? '' : rowLines.trimEnd()].filter((line) => line !== '');
  const expect = pairNamed(map, 'expect');
  const last = map.items.at(-1) ?? name;
  const [start, end] =
    expect === undefined ? [endOf(text, last), endOf(text, last)] : [startOf(expect), endOf(text, expect)];
  const before = expect === undefined ? `\n${indent}` : '';
  return `${text.slice(0, start)}${before}${lines.join('\n')}${text.slice(end)}`;
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
