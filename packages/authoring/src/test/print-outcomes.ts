import { styleText } from 'node:util';
import { readsClock } from '@querygate/bigquery-sql/analysis';
import { type ExactJson, exactText, visibleLine, visibleText } from '@querygate/text';
import type { Column } from 'querygate';
import { formatInstant } from 'querygate/catalog';
import type { ComparedRow, RowDifference } from './compare-rows.ts';
import type { TestOutcome } from './run-files.ts';

type Style = Parameters<typeof styleText>[0];

/** Writes text in a color if the output is a terminal that shows colors. */
export type Paint = (style: Style, text: string) => string;

export const plain: Paint = (_, text) => text;

export const paintFor = (stream: NodeJS.WriteStream): Paint =>
  stream.isTTY && stream.hasColors?.() && process.env.NO_COLOR === undefined
    ? (style, text) => styleText(style, text, { validateStream: false })
    : plain;

/** More differences than this help no one. */
const maxDifferences = 20;

/**
 * One test: a line, and if it failed, why.
 *
 * @param isUpdated whether the rows that were returned are the expected ones from now on
 */
export function outcomeText(
  { file, result, test, verdict, elapsedMs }: TestOutcome,
  paint: Paint,
  isUpdated = false,
): string {
  const title = `${file.query.name} › ${visibleLine(test.name)}`;
  const time = paint('dim', `${Math.round(elapsedMs)} ms`);
  if (verdict.passed) return `${paint('green', '✓')} ${title} ${time}\n`;
  if (isUpdated) {
    const count = result === undefined || 'error' in result ? 0 : result.rows.length;
    const expects = `    ${file.file}:${test.line} expects ${count} ${count === 1 ? 'row' : 'rows'} now\n`;
    return `${paint('yellow', '+')} ${title} ${time}\n${expects}${count === 0 ? noRowsText(file, test) : ''}`;
  }
  const { comparison, reason } = verdict;
  const lines = [
    `${paint('red', '✗')} ${title} ${time}`,
    `    ${file.file}:${test.line}`,
    ...visibleText(reason)
      .split('\n')
      .map((line) => `    ${line}`),
  ];
  const differences = comparison?.isOnlyOrder ? [] : (comparison?.differences ?? []);
  for (const difference of differences.slice(0, maxDifferences))
    lines.push(...differenceLines(difference, file.query.columns, paint));
  if (differences.length > maxDifferences)
    lines.push(`    … and ${differences.length - maxDifferences} more differences`);
  return `${lines.join('\n')}\n`;
}

/** A test without rows passes with nearly every change of the query. */
function noRowsText(
  { file, query }: TestOutcome['file'],
  { line, parameters, now }: TestOutcome['test'],
): string {
  const names = Object.keys(parameters ?? {}).join(', ');
  const cures = [
    readsClock(query.sql) && `a now at which its rows are new, not ${formatInstant(now)}`,
    names !== '' && `values of ${names} that give rows`,
    'rows that the query returns',
  ].filter(Boolean);
  return `    without rows it notices little: in ${file}:${line}, give it ${cures.join(', or ')}\n`;
}

function differenceLines(
  difference: RowDifference,
  columns: readonly Column[],
  paint: Paint,
): readonly string[] {
  switch (difference.kind) {
    case 'missing':
      return [paint('red', `    - row ${difference.at + 1} ${rowText(difference.row, columns)}`)];
    case 'unexpected':
      return [paint('green', `    + row ${difference.at + 1} ${rowText(difference.row, columns)}`)];
    case 'changed': {
      const { at, expected, actual } = difference;
      const changed = columns.filter(({ name }) => difference.columns.includes(name));
      const same = columns
        .filter(({ name }) => name in expected && !difference.columns.includes(name))
        .slice(0, 3);
      return [
        `    ~ row ${at + 1} ${paint('dim', rowText(expected, same))}`,
        ...changed.flatMap((column) => [
          paint('red', `        - ${column.name}: ${valueText(expected[column.name], column)}`),
          paint('green', `        + ${column.name}: ${valueText(actual[column.name], column)}`),
        ]),
      ];
    }
  }
}

/** A row as it may be written in a test. */
export function rowText(row: ComparedRow, columns: readonly Column[]): string {
  const members = columns.flatMap((column) => {
    const value = row[column.name];
    const isAbsent =
      value === undefined ||
      value === null ||
      (column.repeated && Array.isArray(value) && value.length === 0);
    return isAbsent ? [] : [`${keyText(column.name)}: ${valueText(value, column)}`];
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Some names are values of YAML. */
const keyText = (name: string) => (/^(?:null|true|false|~)$/i.test(name) ? JSON.stringify(name) : name);

function valueText(value: unknown, column: Column): string {
  if (value === null || value === undefined) return 'null';
  const text = exactText(readableValue(value, column) as ExactJson);
  return text.replace(/^"(\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?)"$/, '$1');
}

/** The value of a column as people write it: timestamps are ISO 8601. */
function readableValue(value: unknown, column: Column): unknown {
  if (column.type !== 'timestamp') return value;
  if (Array.isArray(value)) return value.map((item) => readableValue(item, column));
  const isMoment = typeof value === 'bigint' || Number.isSafeInteger(value);
  return isMoment ? (timestampText(BigInt(value as number | bigint)) ?? value) : value;
}

/** @param micros since the epoch @returns undefined outside the years 1 to 9999 */
function timestampText(micros: bigint): string | undefined {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const date = new Date(Number((micros - fraction) / 1000n));
  const year = date.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return undefined;
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
  return `${date.toISOString().slice(0, 19)}${digits}Z`;
}

interface Summary {
  readonly updated: readonly TestOutcome[];
  /** The queries that have no tests. */
  readonly untested: readonly string[];
  readonly elapsedMs: number;
}

/** The last line, and the queries that have no tests. */
export function summaryText(
  outcomes: readonly TestOutcome[],
  { updated, untested, elapsedMs }: Summary,
  paint: Paint,
): string {
  const failed = outcomes.filter(({ verdict }) => !verdict.passed).length - updated.length;
  const passed = outcomes.length - failed - updated.length;
  const counts = [
    failed > 0 && paint('red', `${failed} failed`),
    updated.length > 0 && paint('yellow', `${updated.length} updated`),
    (passed > 0 || updated.length === 0) && paint('green', `${passed} passed`),
  ].filter(Boolean);
  const without =
    untested.length === 0
      ? ''
      : `without tests: ${untested.join(', ')} (--update --data-dir <folder> writes first ones)\n`;
  const advice = updated.length > 0 ? ': review the changes' : '';
  return `\n${without}${counts.join(', ')} (${(elapsedMs / 1000).toFixed(1)} s)${advice}\n`;
}
