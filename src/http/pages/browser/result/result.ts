import { buildChart } from '../chart/chart.ts';
import type { ChartChoice } from '../chart/chart-data.ts';
import { button, element, section } from '../element.ts';
import type { Endpoint } from '../endpoint.ts';
import { type Gateway, GatewayError, type RowsResponse } from '../gateway.ts';
import { type ParameterValues, searchOf } from '../parameters/values.ts';
import type { View } from '../view.ts';
import { buildAutoRefresh } from './auto-refresh.ts';
import { buildDownloads } from './downloads.ts';
import { problemText } from './problem-text.ts';
import { buildTable } from './table.ts';
import { cacheText, costText, rowsText } from './words.ts';

/** The part of a page that runs the query and shows the rows. */
export interface ResultSection {
  readonly element: HTMLElement;
  /** @param again whether the query is to run, whatever is cached */
  run(values: ParameterValues, again: boolean): Promise<void>;
  /** There are no values to run it with. */
  clear(): void;
  /** Sends no further request. */
  close(): void;
}

interface ResultOptions {
  readonly gateway: Gateway;
  readonly endpoint: Endpoint;
  readonly view: () => View;
  readonly onView: (part: Partial<View>) => void;
  /** @returns whether the problem is shown elsewhere */
  readonly onProblem: (error: GatewayError) => boolean;
}

export function buildResult({ gateway, endpoint, view, onView, onProblem }: ResultOptions): ResultSection {
  const { path, columns, maxRows, caching } = endpoint;
  let current: ParameterValues = new Map();
  let running: AbortController | undefined;
  let shown:
    | { readonly etag: string | null; readonly search: string; chart: ChartChoice | undefined }
    | undefined;

  const status = element('p', { role: 'status' });
  const cost = element('p', { class: 'muted' });
  const problem = element('p', { role: 'alert', class: 'problem' });
  const cancel = button('Cancel', () => running?.abort(), { hidden: true });
  const table = buildTable(columns, (order) => onView({ order }));
  const chart = buildChart(columns, (choice) => {
    onView({ chart: choice });
    if (shown !== undefined) shown.chart = choice;
  });
  const refresh = buildAutoRefresh(caching, () => void load(false, true));
  const downloads = buildDownloads(gateway, endpoint, () => shown?.search ?? '', showProblem);
  const result = element(
    'div',
    { hidden: true },
    refresh.element,
    ...(chart === undefined ? [] : [chart.element]),
    downloads,
    table.element,
  );

  function showProblem(error: unknown): void {
    if (error instanceof GatewayError && onProblem(error)) return;
    problem.textContent = problemText(error);
  }

  /** @param isRefresh of rows that are shown: they stay if it fails */
  async function load(again: boolean, isRefresh: boolean): Promise<void> {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    refresh.stop();
    if (!isRefresh) {
      problem.textContent = '';
      status.textContent = 'Running …';
      cancel.hidden = false;
    }
    const search = searchOf(current);
    try {
      const response = await gateway.rows(path + search, mine.signal, again);
      if (running !== mine) return;
      problem.textContent = '';
      await show(response, search);
      refresh.succeeded(Number(response.headers.get('age') ?? 0));
    } catch (error) {
      if (running !== mine) return;
      if (mine.signal.aborted) {
        status.textContent = 'Cancelled.';
        // The parameters are others than those of the rows.
        if (shown?.search === search) refresh.failed(undefined);
        else hideRows();
        return;
      }
      fail(error, isRefresh);
    } finally {
      if (running === mine) cancel.hidden = true;
    }
  }

  function hideRows(): void {
    cost.textContent = '';
    result.hidden = true;
    shown = undefined;
  }

  function fail(error: unknown, isRefresh: boolean): void {
    if (isRefresh) {
      const message = error instanceof Error ? error.message : String(error);
      problem.textContent = `The rows could not be refreshed, and are those of before. ${message}`;
      if (error instanceof GatewayError && error.status === 401) onProblem(error);
    } else {
      status.textContent = 'There is no result.';
      hideRows();
      showProblem(error);
    }
    // Repeating an invalid request would fail again.
    const isWrong =
      error instanceof GatewayError && error.status >= 400 && error.status < 500 && error.status !== 429;
    if (isRefresh && !isWrong)
      refresh.failed(error instanceof GatewayError ? error.retryAfterSeconds : undefined);
  }

  async function show({ rows, headers }: RowsResponse, search: string): Promise<void> {
    const isTruncated = headers.get('querygate-truncated') === 'true';
    const age = Number(headers.get('age') ?? 0);
    const computedAt = headers
      .get('querygate-computed-at')
      ?.replace('T', ' ')
      .replace(/\.\d+Z$/, ' UTC');
    status.textContent = `${rowsText(rows.length, isTruncated, maxRows)} ${cacheText(headers.get('cache-status') ?? '', age)}`;
    cost.textContent = [
      computedAt === undefined ? '' : `Computed at ${computedAt}.`,
      costText(headers.get('querygate-cost')),
    ]
      .filter((text) => text !== '')
      .join(' ');
    result.hidden = false;
    const etag = headers.get('etag');
    const { order, chart: choice } = view();
    // Equal rows stay as they are, with what was opened in them.
    const isSame = etag !== null && etag === shown?.etag && search === shown.search;
    const isSameChart = isSame && JSON.stringify(choice) === JSON.stringify(shown?.chart);
    shown = { etag, search, chart: choice };
    table.sort(order);
    if (!isSame) table.show(rows);
    if (isSameChart) return;
    // The browser shows the table before it draws many points.
    await new Promise((resolve) => setTimeout(resolve));
    if (shown?.search === search && shown.etag === etag) await chart?.show(rows, choice);
  }

  return {
    element: section(
      'result',
      'Result',
      element('div', { class: 'row' }, status, cancel),
      cost,
      problem,
      result,
    ),
    async run(values, again) {
      current = values;
      await load(again, false);
    },
    clear() {
      running?.abort();
      running = undefined;
      refresh.stop();
      hideRows();
      problem.textContent = '';
      status.textContent = 'Fill in the parameters and press Run.';
    },
    close() {
      running?.abort();
      running = undefined;
      refresh.stop();
    },
  };
}
