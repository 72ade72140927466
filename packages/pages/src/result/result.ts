import { button, element, section } from '../element.ts';
import type { Endpoint } from '../endpoint.ts';
import { type Gateway, GatewayError, isCut, type RowsResponse } from '../gateway.ts';
import { rowArgumentsIn, withoutPage, withPageSize } from '../parameters/row-arguments.ts';
import { type ParameterValues, searchOf } from '../parameters/values.ts';
import type { View } from '../view.ts';
import { buildAutoRefresh } from './auto-refresh.ts';
import { buildLiveRows } from './live-rows.ts';
import { buildChips, buildPager, buildRowControls } from './row-controls.ts';
import { buildRowsView } from './rows-view.ts';
import { cacheText, emptyText, foundText, noneMeetConditions, problemText, rowsText } from '../words.ts';

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
  /** People have chosen other rows: these are the values of their request, which is to be run. */
  readonly onValues: (next: ParameterValues) => Promise<void>;
  /** @returns whether the problem is shown elsewhere */
  readonly onProblem: (error: GatewayError) => boolean;
}

export function buildResult({
  gateway,
  endpoint,
  view,
  onView,
  onValues,
  onProblem,
}: ResultOptions): ResultSection {
  const { path, maxRows, caching, parameters } = endpoint;
  let current: ParameterValues = new Map();
  let running: AbortController | undefined;
  let shown: RowsResponse | undefined;

  const status = element('p', { role: 'status' });
  const problem = element('p', { role: 'alert', class: 'problem' });
  const cancel = button('Cancel', () => running?.abort(), { hidden: true });
  const refresh = buildAutoRefresh(caching, () => void load(false, true));
  const rows = buildRowsView({
    gateway,
    endpoint,
    view,
    onView,
    onProblem: showProblem,
    controls: buildRowControls(
      endpoint,
      () => current,
      (next) => void onValues(next),
    ),
  });
  const chips = buildChips(endpoint, (next) => void onValues(next));
  const pager = buildPager(endpoint, async (name, cursor) => {
    const others = withPageSize(endpoint, withoutPage(endpoint, current));
    await onValues(new Map([...others, [name, [cursor]]]));
    rows.focusRows();
  });
  const help = element('p', {});
  const live = buildLiveRows({
    gateway,
    endpoint,
    async onChange(response, change) {
      shown = response;
      problem.textContent = '';
      describe(response, '');
      await rows.show(response, searchOf(current), change);
    },
    onFailure(message) {
      problem.textContent = `The rows are those of before. ${message}`;
    },
    onSwitch: followOrRefresh,
  });

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
    live?.pause();
    const search = searchOf(current);
    if (rows.search() !== search) live?.end('Ended: the parameters are others.');
    if (!isRefresh) {
      problem.textContent = '';
      status.textContent = 'Running …';
      cancel.hidden = false;
    }
    try {
      const request = path + searchOf(withPageSize(endpoint, current));
      const response = await gateway.rows(request, mine.signal, again);
      if (running !== mine) return;
      problem.textContent = '';
      describe(response, cacheText(response.headers.get('cache-status') ?? '', ageOf(response)));
      shown = response;
      refresh.element.hidden = live?.isOn() === true;
      pager.show(response.headers.get('link'));
      if (live !== undefined) live.element.hidden = false;
      live?.allow(rowArgumentsIn(endpoint, current).size === 0);
      await rows.show(response, search);
      if (running === mine) followOrRefresh();
    } catch (error) {
      if (running !== mine) return;
      if (mine.signal.aborted) showCancelled(search);
      else if (isRefresh) showFailedRefresh(error);
      else showFailure(error);
    } finally {
      if (running === mine) cancel.hidden = true;
    }
  }

  /** How many rows there are, and where they came from. */
  function describe(response: RowsResponse, origin: string): void {
    const ofRows = response.headers.get('querygate-of-rows');
    const found =
      ofRows === null
        ? rowsText(response.rows.length, isCut(response), maxRows)
        : foundText(response.rows.length, Number(ofRows), isCut(response));
    const text = `${found} ${origin}`.trim();
    // Screen readers do not say each change of rows that are followed.
    status.ariaLive = live?.isOn() ? 'off' : 'polite';
    if (status.textContent !== text) status.textContent = text;
    help.textContent =
      response.rows.length > 0
        ? ''
        : rowArgumentsIn(endpoint, current).size > 0
          ? noneMeetConditions
          : emptyText(parameters, current);
  }

  /** What happens to rows that are shown: they follow their result, or are requested again. */
  function followOrRefresh(): void {
    // A request with other parameters may be on its way.
    if (shown === undefined || rows.search() !== searchOf(current)) return;
    const isLive = live?.isOn() === true;
    refresh.element.hidden = isLive;
    refresh.stop();
    if (isLive) live.begin(shown, searchOf(current));
    else refresh.succeeded(ageOf(shown));
  }

  function showCancelled(search: string): void {
    status.textContent = 'Cancelled.';
    if (rows.search() !== search) hideRows();
    else if (live?.isOn()) followOrRefresh();
    else refresh.failed(undefined);
  }

  function showFailedRefresh(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    problem.textContent = `The rows could not be refreshed, and are those of before. ${message}`;
    const refused = error instanceof GatewayError ? error : undefined;
    if (refused?.status === 401) onProblem(refused);
    if (!isWrongRequest(refused)) refresh.failed(refused?.retryAfterSeconds);
  }

  function hideRows(): void {
    rows.hide();
    pager.show(null);
    shown = undefined;
    help.textContent = '';
    refresh.element.hidden = true;
    live?.end('');
    if (live !== undefined) live.element.hidden = true;
  }

  function showFailure(error: unknown): void {
    status.textContent = 'There is no result.';
    hideRows();
    showProblem(error);
  }

  function stop(): void {
    running?.abort();
    running = undefined;
    refresh.stop();
    live?.end('');
  }

  return {
    element: section(
      'result',
      'Result',
      element('div', { class: 'row' }, status, cancel, refresh.element, ...(live ? [live.element] : [])),
      rows.cost,
      problem,
      chips.element,
      help,
      rows.element,
      pager.element,
    ),
    async run(values, again) {
      current = values;
      chips.show(values);
      await load(again, false);
    },
    clear() {
      current = new Map();
      chips.show(current);
      stop();
      hideRows();
      problem.textContent = '';
      status.textContent = 'Fill in the parameters and press Run.';
    },
    close: stop,
  };
}

/** Repeating an invalid request would fail again. */
const isWrongRequest = (error: GatewayError | undefined) =>
  error !== undefined && error.status >= 400 && error.status < 500 && error.status !== 429;

const ageOf = ({ headers }: RowsResponse) => Number(headers.get('age') ?? 0);
