import { visibleText } from '@querygate/text';
import type { Cell, Explanation, Failure, Outcome, Result } from '../duckdb/outcome.ts';

/** One line of JSON, of an outcome or of the SQL for DuckDB. */
export function outcomeJson(statement: number, outcome: Outcome | { readonly sql: string }): string {
  const document = 'generic' in outcome ? { statement, explain: outcome } : { statement, ...outcome };
  return `${jsonText(document)}\n`;
}

/** JSON.stringify would write -0 as 0. */
function jsonText(value: unknown): string {
  if (Object.is(value, -0)) return '-0';
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join(',')}}`;
}

/** The rows, as RFC 4180 has them: NULL is empty, an empty text is "", an ARRAY and a STRUCT are JSON. */
export function outcomeCsv({ columns, rows }: Result): string {
  const quoted = (text: string) => (/["\n\r,]|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const textOf = (cell: Cell, type: string) => {
    if (cell === null) return '';
    if (typeof cell === 'object') return quoted(jsonText(cell));
    return quoted(type === 'STRING' || type === 'JSON' ? String(cell) : cellText(cell, type));
  };
  const lines = [
    columns.map(({ name }) => quoted(name)),
    ...rows.map((row) => row.map((cell, at) => textOf(cell, columns[at]?.type ?? ''))),
  ];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

/** For people. */
export function outcomeText(outcome: Outcome, elapsedMs: number): string {
  if ('error' in outcome) return failureText(outcome);
  return 'generic' in outcome ? explanationText(outcome) : resultText(outcome, elapsedMs);
}

function failureText({ error: { stage, more = [], ...first } }: Failure): string {
  return [first, ...more]
    .map(({ line, column, message }) => `${line}:${column} ${stage}: ${visibleText(message)}\n`)
    .join('');
}

function explanationText({ generic, custom, passes }: Explanation): string {
  const effects = passes.map(
    ({ name, effect = 'nothing to do' }) => `  ${name}: ${effect.replaceAll('\n', '\n    ')}`,
  );
  return ['Without passes:', generic, '', 'With passes:', custom, '', 'Passes:', ...effects, ''].join('\n');
}

const rightAligned = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']);

function resultText({ columns, rows, truncated }: Result, elapsedMs: number): string {
  const head = [columns.map(({ name }) => name), columns.map(({ type }) => type)];
  // Rows may have texts of strangers, which a terminal would take as commands.
  const body = rows.map((row) => row.map((cell, at) => visibleText(cellText(cell, columns[at]?.type ?? ''))));
  const widths = columns.map((_, at) =>
    [...head, ...body].reduce((most, row) => Math.max(most, row[at]?.length ?? 0), 0),
  );
  const line = (row: readonly string[], isHead: boolean) =>
    row
      .map((text, at) => {
        const width = widths[at] ?? 0;
        return !isHead && rightAligned.has(columns[at]?.type ?? '')
          ? text.padStart(width)
          : text.padEnd(width);
      })
      .join(' | ')
      .trimEnd();
  const count = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}${truncated ? ', and more: --max-rows' : ''}`;
  return [
    ...head.map((row) => line(row, true)),
    widths.map((width) => '-'.repeat(width)).join('-+-'),
    ...body.map((row) => line(row, false)),
    `(${count}; ${Math.round(elapsedMs)} ms)`,
    '',
  ].join('\n');
}

function cellText(cell: Cell, type: string): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'object') return nestedText(cell, type);
  const text = Object.is(cell, -0) ? '-0' : String(cell);
  if (type !== 'STRING' && type !== 'JSON') return text.replace(/\.0{6}(?=Z?$)/, '');
  return text.replace(/[\n\r\t]/g, (character) => escapes[character] ?? '');
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** `[1, 2]` of an array, `{name: "a", 2}` of a struct with a field without a name. */
function nestedText(cells: readonly Cell[], type: string): string {
  const element = /^ARRAY<(.*)>$/.exec(type)?.[1];
  const textOf = (cell: Cell, inner: string) =>
    (inner === 'STRING' || inner === 'JSON') && cell !== null ? JSON.stringify(cell) : cellText(cell, inner);
  if (element !== undefined) return `[${cells.map((cell) => textOf(cell, element)).join(', ')}]`;
  const fields = fieldsOf(type);
  const texts = cells.map((cell, at) => {
    const { name, type: inner } = fields[at] ?? { name: undefined, type: '' };
    return name === undefined ? textOf(cell, inner) : `${name}: ${textOf(cell, inner)}`;
  });
  return `{${texts.join(', ')}}`;
}

/** The fields of `STRUCT<name STRING, INT64>`. */
function fieldsOf(type: string): readonly { readonly name: string | undefined; readonly type: string }[] {
  const inner = /^STRUCT<(.*)>$/.exec(type)?.[1] ?? '';
  const texts: string[] = [''];
  let depth = 0;
  for (const [part] of inner.matchAll(/[<>]|, |[^<>,]+|,/g)) {
    if (part === '<') depth += 1;
    if (part === '>') depth -= 1;
    if (part === ', ' && depth === 0) texts.push('');
    else texts.push(`${texts.pop()}${part}`);
  }
  return texts.map((text) => {
    const [, name, own = text] = /^(.+?) ((?:ARRAY|STRUCT|RANGE)<.*|[A-Z\d]+)$/.exec(text) ?? [];
    return { name, type: own };
  });
}
