import type { Expected } from '../compare-rows.ts';
import type { DemoTables } from '../demo-tables.ts';
import {
  expectedChart,
  expectedCount,
  expectedList,
  expectedOlderChart,
  expectedSingle,
  visible,
  type Window,
} from './expected-pages.ts';
import { expected } from './expected-statements.ts';
import { statements } from './explorer.ts';
import {
  chartSql,
  countSql,
  type Filters,
  listSql,
  olderChartSql,
  pages,
  type Stream,
  singleSql,
  streams,
} from './log-pages.ts';

/** One request of a page, and the rows that it must get. */
export interface Case {
  readonly name: string;
  readonly kind: 'list' | 'count' | 'chart' | 'single' | 'explorer and reports';
  readonly stream?: Stream;
  /** The hours before the window's end that the page shows. */
  readonly hours: number;
  build(
    tables: DemoTables,
    window: Window,
  ): Promise<{ sql: string; parameters: Parameters; expected: Expected }>;
}

type Parameters = Readonly<Record<string, string>>;

interface CaseOptions {
  /** A function's own pages show its rows only. */
  readonly functionId: string;
  /** The histogram has a bucket for each minute of these and of six hours before; more than 1000 would be cut. */
  readonly shortHours?: number;
  readonly longHours?: number;
}

/** Every statement of the log pages with every option, and those of the explorer and the reports. */
export function studioCases(options: CaseOptions): Case[] {
  return [...streams.flatMap((stream) => pageCases(stream, options)), ...statementCases(options)];
}

const unfiltered: Filters = {};

function filtersOf(stream: Stream, functionId: string): Filters[] {
  const options = Object.keys(pages[stream].options ?? {}).map((path) => {
    const [group = '', option = ''] = path.split('.');
    return { [group]: [option] };
  });
  // Options of one group, and of all groups together.
  const groups = Object.groupBy(options, (option) => Object.keys(option)[0] ?? '');
  const pairs = Object.entries(groups).map(([group, members = []]) => ({
    [group]: members.slice(0, 2).flatMap((member) => member[group] ?? []),
  }));
  return [
    unfiltered,
    ...options,
    ...pairs,
    ...(pairs.length > 1 ? [Object.assign({}, ...pairs)] : []),
    { search_query: String.raw`\s[45]\d\d\s|rror|\bGET\b` },
    ...(stream === 'function_logs' ? [{ 'metadata.function_id': functionId }] : []),
    ...(stream === 'function_edge_logs' ? [{ '`function_id`': functionId }] : []),
  ];
}

function pageCases(stream: Stream, { functionId, shortHours = 10, longHours = 20 }: CaseOptions): Case[] {
  const cases = filtersOf(stream, functionId).flatMap((filters) => {
    const label = `${stream} ${JSON.stringify(filters)}`;
    const { plainSelfHosted = false } = pages[stream];
    const lists = [false, true]
      .filter((hosted) => hosted || !(plainSelfHosted && filters !== unfiltered))
      .map((hosted) => ({
        name: `${hosted ? 'hosted list' : 'list'} ${label}`,
        kind: 'list' as const,
        stream,
        hours: shortHours,
        build: built(
          () => listSql(stream, filters, { hosted }),
          (window) => expectedList(stream, window, filters, { hosted }),
        ),
      }));
    const count = {
      name: `count ${label}`,
      kind: 'count' as const,
      stream,
      hours: shortHours,
      build: built(
        () => countSql(stream, filters),
        (window) => expectedCount(stream, window, filters),
      ),
    };
    const charts = [shortHours, longHours].map((hours) => ({
      name: `chart of ${hours} hours ${label}`,
      kind: 'chart' as const,
      stream,
      hours,
      build: built(
        (window) => chartSql(stream, window, filters),
        (window) => expectedChart(stream, window, filters),
        // The page sends no start: the statement has its own, which is earlier. The hosted API adds the tier.
        { iso_timestamp_start: '', project_tier: 'PRO' },
      ),
    }));
    const older = {
      name: `older chart ${label}`,
      kind: 'chart' as const,
      stream,
      hours: shortHours,
      build: built(
        (window) => olderChartSql(stream, window, filters),
        (window) => expectedOlderChart(stream, window, filters),
        { iso_timestamp_start: '', project_tier: 'PRO' },
      ),
    };
    // Older versions have fewer filters, and none with other names.
    const isOlder = filters === unfiltered || 'search_query' in filters || 'status_code' in filters;
    return [...lists, count, ...charts, ...(isOlder ? [older] : [])];
  });
  const single = (name: string, choose: (tables: DemoTables, window: Window) => Promise<string>): Case => ({
    name: `${name} ${stream}`,
    kind: 'single',
    stream,
    hours: longHours,
    async build(tables, window) {
      const id = await choose(tables, window);
      const build = built(
        () => singleSql(stream, id),
        () => expectedSingle(stream, window, id),
      );
      return build(tables, window);
    },
  });
  return [
    ...cases,
    single('row', async (tables, window) => {
      const [row] = await tables.rows(
        `SELECT id FROM (${visible(stream, window)}) ORDER BY hash(id) LIMIT 1`,
      );
      return String(row?.id);
    }),
    single('no row', async () => 'no such id'),
  ];
}

function statementCases({ shortHours = 10 }: CaseOptions): Case[] {
  return Object.entries(expected).map(([name, expectedOf]) => ({
    name,
    kind: 'explorer and reports',
    hours: shortHours,
    async build(tables, window) {
      const bounds = { start: window.start.toISOString(), end: window.end.toISOString() };
      const { sql, ...order } = expectedOf(window);
      const rows = await tables.rows(sql);
      return {
        sql: statements[name]?.(bounds).sql ?? '',
        parameters: parametersOf(window),
        expected: { rows, unordered: order.by === undefined, ...order },
      };
    },
  }));
}

const built =
  (
    sql: (window: Window) => string,
    hand: (window: Window) => string,
    parameters: Parameters = {},
  ): Case['build'] =>
  async (tables, window) => ({
    sql: sql(window),
    parameters: { ...parametersOf(window), ...parameters },
    expected: { rows: await tables.rows(hand(window)) },
  });

const parametersOf = ({ start, end }: Window): Parameters => ({
  iso_timestamp_start: start.toISOString(),
  iso_timestamp_end: end.toISOString(),
});
