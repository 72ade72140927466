import type { BoundQuery, RawParameters } from '../../../catalog/binding/bind.ts';
import { seenBySql } from '../../../catalog/binding/caller-sql.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import type { ResultColumn } from '../../../catalog/model/header-types.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import type { Obtained } from '../../../call/obtain.ts';
import { memoize } from '../../../memoize.ts';
import type { ResultDocument } from '../../../results/result-document.ts';
import { cellWriter, csvCell } from './cells.ts';
import { type ColumnSummary, summarizeColumns } from './column-summary.ts';
import { type AnswerLimits, type CutRows, cutRows } from './cut-rows.ts';
import { fence } from './fence.ts';
import { computedText, hasRowsBeyond, incompleteTexts } from './incomplete.ts';
import { downloadCommands, resultUri } from './recipe.ts';
import { visibleText } from '@querygate/text';
import { dataNotice } from './write-page.ts';

/** A result to be written for a model. */
export interface ResultToWrite extends Obtained {
  /** The public name of the query. */
  readonly name: string;
  /** As REST would get them. */
  readonly parameters: RawParameters;
  /** Of the gateway; undefined if callers cannot reach it over HTTP. */
  readonly origin: string | undefined;
  readonly owner: Parameters<LoopTurns['run']>[0];
}

/** The parts of a tool's result. */
export interface WrittenResult {
  /** JSON: an array of content blocks. */
  readonly content: string;
  /** JSON: an object. */
  readonly structuredContent: string;
}

/** With where the last row that it has ends in the document; 0 without rows. */
interface Written {
  readonly members: WrittenResult;
  readonly end: number;
}

interface Context {
  readonly limits: AnswerLimits;
  readonly turns: LoopTurns;
}

/** Bytes that the text around the rows may take, besides a summary. */
const headBytes = 2_000;

/** Writes the rows that an answer may have, and of a larger result what is in it and how to get all of it. */
export async function writeResult(request: ResultToWrite, { limits, turns }: Context): Promise<Written> {
  const { bound, result, owner } = request;
  const { document } = result;
  const columns = document.metadata.columns ?? bound.query.columns;
  const rows = { identity: document.encodings.identity, columns };
  const writers = columns.map(cellWriter);
  const room = limits.maxBytes - headBytes;
  const first = await turns.compute(owner, cutRows(rows, writers, { ...limits, maxBytes: room }));
  const { rowCount } = document.metadata;
  // The rest of a page follows its cursors.
  const isPage = request.page !== undefined && first.count > 0;
  if (first.count === rowCount || isPage) return assemble(request, first, undefined);
  const summary = fitted(await summaryOf(document)(rows, turns, owner), room / 4);
  const text = summaryText(summary);
  const rest = { ...limits, maxBytes: room - Buffer.byteLength(text) };
  const cut = await turns.compute(owner, cutRows(rows, writers, rest));
  return assemble(request, cut, { columns: summary, text });
}

/** Of one document it is made once, however many ask for it. */
const summaryOf = memoize((_: ResultDocument) => {
  let running: Promise<readonly ColumnSummary[]> | undefined;
  return (
    rows: { readonly identity: Buffer; readonly columns: readonly ResultColumn[] },
    turns: LoopTurns,
    owner: ResultToWrite['owner'],
  ) => {
    running ??= turns.run(owner, summarizeColumns(rows, rows.columns.map(cellWriter))).catch((error) => {
      running = undefined;
      throw error;
    });
    return running;
  };
});

interface Summary {
  readonly columns: readonly ColumnSummary[];
  /** The same as CSV. */
  readonly text: string;
}

/** Leaves out lists of values, and then columns, until the summary has room. */
function fitted(summary: readonly ColumnSummary[], maxBytes: number): readonly ColumnSummary[] {
  const fits = (columns: readonly ColumnSummary[]) => Buffer.byteLength(summaryText(columns)) <= maxBytes;
  if (fits(summary)) return summary;
  const short = summary.map((column) => ({ ...column, distinct: undefined }));
  let count = short.length;
  while (count > 0 && !fits(short.slice(0, count))) count = Math.floor(count / 2);
  return short.slice(0, count);
}

const summaryText = (columns: readonly ColumnSummary[]): string =>
  `column,nulls,min,max,values\n${columns
    .map(({ name, nulls, min, max, distinct }) =>
      [name, String(nulls), min, max, distinct?.join(' | ')].map(csvCell).join(','),
    )
    .join('\n')}\n`;

function assemble(request: ResultToWrite, rows: CutRows, summary: Summary | undefined): Written {
  const { bound, result, name, parameters, page } = request;
  const { document, cacheStatus } = result;
  const { rowCount, ofRows, truncated } = document.metadata;
  const isStale = cacheStatus === 'STALE';
  const computedAt = new Date(document.computedAt).toISOString();
  const isCut = rows.count < rowCount;
  const hasNext = isCut || page?.hasNextPage === true;
  const isEmptyPage = page !== undefined && rowCount === 0;
  // The next rows of a page without rows are those after the same cursor.
  const [after] = parameters.get('after')?.filter((text) => text !== '') ?? [];
  const last = isEmptyPage ? after : page?.cursors[rows.count - 1];
  const next = hasNext ? last : undefined;
  const mark = fence(document.digest);
  const beyond = hasRowsBeyond(request);
  const text = [
    `${name}: ${isCut ? `the first ${rows.count} of ` : ''}${rowCount} row${rowCount === 1 ? '' : 's'}${ofRows === undefined ? '' : `, made of the ${ofRows} of the result`}, ${computedText(result)}.`,
    ...incompleteTexts(request),
    ...meaningsOf(bound, rows.count === 0 ? [] : (document.metadata.columns ?? bound.query.columns)),
    ...(rowCount > 0 ? [dataNotice] : []),
    ...(rows.count > 0 ? [...[rows.notice ?? []].flat(), mark('rows', rows.text)] : []),
    ...(summary === undefined
      ? []
      : [
          `${beyond ? 'These' : 'All'} ${rowCount} rows by column:`,
          mark('summary', summary.text),
          ...rowsAsFile(request, beyond ? 'These' : 'All'),
        ]),
    ...(next === undefined ? [] : [`The next rows: after=${next}`]),
    ...(isEmptyPage && hasNext ? ['There are more rows: limit=0 gives none of them.'] : []),
  ].join('\n');
  const content: object[] = [{ type: 'text', text }];
  if (isCut && next === undefined && hasAddress(request)) {
    content.push({
      type: 'resource_link',
      uri: resultUri(name, parameters),
      name,
      description: `The ${rowCount} rows, in parts`,
      mimeType: 'text/plain',
    });
  }
  const facts = {
    rowCount,
    shown: rows.count,
    truncated: hasNext || truncated,
    computedAt,
    stale: isStale,
    ...(next !== undefined && { after: next }),
    ...(summary && { summary: summary.columns }),
  };
  return {
    members: {
      content: JSON.stringify(content),
      structuredContent: `{"rows":${rows.json},${JSON.stringify(facts).slice(1)}`,
    },
    end: rows.end,
  };
}

/** False for an empty list in the place of a default: without a value, an address means the default. */
const hasAddress = ({ bound: { query }, parameters }: ResultToWrite): boolean =>
  query.parameters.every((one) => one.default === undefined || parameters.get(one.name)?.length !== 0);

function rowsAsFile(request: ResultToWrite, which: 'All' | 'These'): readonly string[] {
  const { name, parameters, origin } = request;
  const commands = hasAddress(request) ? downloadCommands(name, parameters, origin) : [];
  return commands.length === 0 ? [] : [`${which} rows as a file, outside of this conversation:`, ...commands];
}

/** Facts that the rows do not contain: the meanings of enum values, and units. */
function meaningsOf(
  { query, parameters, sql }: BoundQuery,
  columns: readonly ResultColumn[],
): readonly string[] {
  const { parameters: shown } = sql === undefined ? query : seenBySql(query);
  const values = shown.flatMap((parameter) => {
    if (parameter.type !== 'enum') return [];
    const value = parameters[parameter.name];
    const known = parameter.values.find((one) => one.value === value);
    return known === undefined ? [] : [`${parameter.name}=${known.value}: ${known.description}`];
  });
  const names = new Set(columns.map(({ name }) => name));
  const units = sql === undefined ? unitsOf(query.columns.filter(({ name }) => names.has(name))) : [];
  return [...values, ...units].map(visibleText);
}

const unitsOf = (columns: SavedQuery['columns']): readonly string[] =>
  [...Map.groupBy(columns, ({ unit }) => unit)].flatMap(([unit, those]) =>
    unit === undefined ? [] : [`Unit ${unit}: ${those.map(({ name }) => name).join(', ')}`],
  );
