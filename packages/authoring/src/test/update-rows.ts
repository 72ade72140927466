import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '@querygate/bigquery-sql/problem';
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml';
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

/** A part of a text, and what it becomes. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/** @returns undefined if the test has no place of its own in the text, as if it is an alias */
function withRows(text: string, { file: { query }, result, test }: TestOutcome): string | undefined {
  if (result === undefined || 'error' in result) return undefined;
  const map = testAt(parseDocument(text), test.at);
  const name = map && pairNamed(map, 'name');
  const expect = map && pairNamed(map, 'expect');
  if (map === undefined || name === undefined || isAlias(expect?.value)) return undefined;
  const { count, truncated, rows: hadRows } = test.expect ?? {};
  const rows = result.rows.map((row) => rowText(row, query.columns));
  const own = isMap(expect?.value) ? expect.value : undefined;
  const values = {
    ...(count !== undefined && { count: rows.length }),
    ...(truncated !== undefined && { truncated: result.truncated }),
  };
  const isOfRows = hadRows !== undefined || count === undefined;
  const isChanged = own !== undefined && own.items.length > 0 && (!own.flow || map.flow);
  const edits = isChanged
    ? [
        ...Object.entries(values).map(([key, value]) => scalarEdit(own, key, value)),
        ...(isOfRows ? [rowsEdit(text, own, rows)] : []),
      ]
    : [expectEdit(text, map, { ...values, ...(isOfRows && { rows }) })];
  return edits
    .filter((edit) => edit !== undefined)
    .sort((a, b) => b.start - a.start)
    .reduce((before, { start, end, by }) => `${before.slice(0, start)}${by}${before.slice(end)}`, text);
}

function scalarEdit(map: YAMLMap, key: string, value: unknown): Edit | undefined {
  const [start, end] = rangeOf(pairNamed(map, key)?.value) ?? [];
  return start === undefined || end === undefined ? undefined : { start, end, by: String(value) };
}

/** Makes rows a member of an expectation that has others, or changes those that it has. */
function rowsEdit(text: string, map: YAMLMap, rows: readonly string[]): Edit {
  const indent = indentOf(text, map);
  const pair = pairNamed(map, 'rows');
  if (pair === undefined) return added(text, map, `rows${rowsText(text, rows, map, indent)}`);
  const end = endOf(text, pair);
  const [start] = rangeOf(pair.value) ?? [];
  if (start !== undefined && isSeq(pair.value) && !pair.value.flow && rows.length > 0) {
    const between = `${lineEndOf(text)}${' '.repeat(columnOf(text, start))}`;
    return { start, end, by: rows.map((row) => `- ${row}`).join(between) };
  }
  return { start: rangeOf(pair.key)?.[1] ?? end, end, by: rowsText(text, rows, map, indent) };
}

/** Writes the whole expectation: of a test that has none, or one in braces, which rows would make a long line. */
function expectEdit(
  text: string,
  map: YAMLMap,
  { rows, ...values }: { readonly rows?: readonly string[] },
): Edit {
  const expect = pairNamed(map, 'expect');
  const changed = ['rows', ...Object.keys(values)];
  const others = (isMap(expect?.value) ? expect.value.items : []).filter(
    ({ key }) => !changed.includes(String(key)),
  );
  const indent = `${indentOf(text, map)}  `;
  const members = [
    ...others.map((pair) => text.slice(startOf(pair), endOf(text, pair))),
    ...Object.entries(values).map(([key, value]) => `${key}: ${value}`),
    ...(rows === undefined ? [] : [`rows${rowsText(text, rows, map, indent)}`]),
  ];
  const written = map.flow
    ? `expect: { ${members.join(', ')} }`
    : `expect:${members.map((member) => `${lineEndOf(text)}${indent}${member}`).join('')}`;
  return expect === undefined
    ? added(text, map, written)
    : { start: startOf(expect), end: endOf(text, expect), by: written };
}

/** Adds a member behind the last one, and behind the comment in its line. */
function added(text: string, map: YAMLMap, written: string): Edit {
  const last = map.items.at(-1);
  const end = last === undefined ? 0 : endOf(text, last);
  if (map.flow) return { start: end, end, by: `, ${written}` };
  const [comment = ''] = /^[ \t]+#[^\r\n]*/.exec(text.slice(end)) ?? [];
  const start = end + comment.length;
  return { start, end: start, by: `${lineEndOf(text)}${indentOf(text, map)}${written}` };
}

/** The rows behind their key. YAML has no blocks between brackets. */
function rowsText(text: string, rows: readonly string[], map: YAMLMap, indent: string): string {
  if (rows.length === 0) return ': []';
  if (map.flow) return `: [ ${rows.join(', ')} ]`;
  return `:${rows.map((row) => `${lineEndOf(text)}${indent}  - ${row}`).join('')}`;
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

const rangeOf = (node: unknown): readonly [number, number, number] | undefined =>
  isNode(node) ? (node.range ?? undefined) : undefined;

const startOf = ({ key }: Pair): number => rangeOf(key)?.[0] ?? 0;

/** Where the value of a pair ends, without the blanks and line ends after it. */
function endOf(text: string, pair: Pair): number {
  const end = rangeOf(pair.value)?.[1] ?? startOf(pair);
  return text.slice(0, end).trimEnd().length;
}

const columnOf = (text: string, offset: number): number => offset - (text.lastIndexOf('\n', offset - 1) + 1);

/** The blanks before the members of a map. */
const indentOf = (text: string, { items: [first] }: YAMLMap): string =>
  ' '.repeat(first === undefined ? 0 : columnOf(text, startOf(first)));

const lineEndOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
