import { button, element, section } from '../element.ts';
import type { Endpoint } from '../endpoint.ts';
import { type Gateway, GatewayError, isCut, isWrongRequest, type RowsResponse } from '../gateway.ts';
import type { RowChange } from '../live/row-change.ts';
import { rowArgumentsIn, withCursor, withPageSize } from '../parameters/row-arguments.ts';
import { type ParameterValues, searchOf } from '../parameters/values.ts';
import type { View } from '../view.ts';
import { type AutoRefresh, buildAutoRefresh } from './auto-refresh.ts';
import { buildLiveRows, type LiveRows } from './live-rows.ts';
import { buildChips, buildPager, buildRowControls, type Chips, type Pager } from './row-controls.ts';
import { buildRowsView, type RowsView } from './rows-view.ts';
import {
  cacheText,
  emptyText,
  foundText,
  noneMeetConditions,
  problemText,
  rowsText,
  warningText,
} from '../words.ts';

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

export const buildResult = (options: ResultOptions): ResultSection => new Result(options);

class Result implements ResultSection {
  readonly element: HTMLElement;
  readonly #options: ResultOptions;
  readonly #rows: RowsView;
  readonly #live: LiveRows | undefined;
  readonly #refresh: AutoRefresh;
  readonly #chips: Chips;
  readonly #pager: Pager;
  readonly #status = element('p', { role: 'status' });
  readonly #problem = element('p', { role: 'alert', class: 'problem' });
  readonly #help = element('p', {});
  readonly #cancel = button('Cancel', () => this.#running?.abort(), { hidden: true });
  #current: ParameterValues = new Map();
  #running: AbortController | undefined;
  #shown: RowsResponse | undefined;

  constructor(options: ResultOptions) {
    this.#options = options;
    const { endpoint, onValues } = options;
    const request = (next: ParameterValues) => void onValues(next);
    this.#refresh = buildAutoRefresh(endpoint.caching, () => void this.#load(false, true));
    this.#rows = buildRowsView({
      ...options,
      onProblem: (error) => this.#showProblem(error),
      controls: buildRowControls(endpoint, () => this.#current, request),
    });
    this.#chips = buildChips(endpoint, request);
    this.#pager = buildPager(endpoint, (name, cursor) => this.#turnPage(name, cursor));
    this.#live = buildLiveRows({
      ...options,
      onChange: (response, change) => this.#showChange(response, change),
      onFailure: (message) => {
        this.#problem.textContent = `The rows are those of before. ${message}`;
      },
      onSwitch: () => this.#followOrRefresh(),
    });
    const live = this.#live === undefined ? [] : [this.#live.element];
    this.element = section(
      'result',
      'Result',
      element('div', { class: 'row' }, this.#status, this.#cancel, this.#refresh.element, ...live),
      this.#rows.cost,
      this.#problem,
      this.#chips.element,
      this.#help,
      this.#rows.element,
      this.#pager.element,
    );
  }

  async run(values: ParameterValues, again: boolean): Promise<void> {
    this.#current = values;
    this.#chips.show(values);
    await this.#load(again, false);
  }

  clear(): void {
    this.#current = new Map();
    this.#chips.show(this.#current);
    this.close();
    this.#hideRows();
    this.#problem.textContent = '';
    this.#status.textContent = 'Fill in the parameters and press Run.';
  }

  close(): void {
    this.#running?.abort();
    this.#running = undefined;
    this.#refresh.stop();
    this.#live?.end('');
  }

  /** @param isRefresh of rows that are shown: they stay if it fails */
  async #load(again: boolean, isRefresh: boolean): Promise<void> {
    const { gateway, endpoint } = this.#options;
    this.#running?.abort();
    const mine = new AbortController();
    this.#running = mine;
    this.#refresh.stop();
    this.#live?.pause();
    const search = searchOf(this.#current);
    if (this.#rows.search() !== search) this.#live?.end('Ended: the parameters are others.');
    if (!isRefresh) {
      this.#problem.textContent = '';
      this.#status.textContent = 'Running …';
      this.#cancel.hidden = false;
    }
    try {
      const request = searchOf(withPageSize(endpoint, this.#current));
      const response = await gateway.rows(endpoint.path + request, mine.signal, again);
      if (this.#running !== mine) return;
      await this.#showResponse(response, { search, request });
      if (this.#running === mine) this.#followOrRefresh();
    } catch (error) {
      if (this.#running !== mine) return;
      if (mine.signal.aborted) this.#showCancelled(search);
      else if (isRefresh) this.#showFailedRefresh(error);
      else this.#showFailure(error);
    } finally {
      if (this.#running === mine) this.#cancel.hidden = true;
    }
  }

  async #showResponse(
    response: RowsResponse,
    of: { readonly search: string; readonly request: string },
  ): Promise<void> {
    this.#problem.textContent = '';
    this.#describe(response, cacheText(response.headers.get('cache-status') ?? '', ageOf(response)));
    this.#shown = response;
    const live = this.#live;
    this.#refresh.element.hidden = live?.isOn() === true;
    this.#pager.show(response.headers.get('link'));
    if (live !== undefined) live.element.hidden = false;
    live?.allow(rowArgumentsIn(this.#options.endpoint, this.#current).size === 0);
    await this.#rows.show(response, of);
  }

  async #showChange(response: RowsResponse, change: RowChange): Promise<void> {
    this.#shown = response;
    this.#problem.textContent = '';
    this.#describe(response, '');
    const search = searchOf(this.#current);
    await this.#rows.show(response, { search, request: search }, change);
  }

  async #turnPage(name: 'after' | 'before', cursor: string): Promise<void> {
    const { endpoint, onValues } = this.#options;
    await onValues(withCursor(endpoint, this.#current, name, cursor));
    this.#rows.focusRows();
  }

  /** How many rows there are, and where they came from. */
  #describe(response: RowsResponse, origin: string): void {
    const { endpoint } = this.#options;
    const ofRows = response.headers.get('querygate-of-rows');
    const found =
      ofRows === null
        ? rowsText(response.rows.length, isCut(response), endpoint.maxRows)
        : foundText(response.rows.length, Number(ofRows), isCut(response));
    const text = `${found} ${origin}`.trim();
    // Screen readers do not say each change of rows that are followed.
    this.#status.ariaLive = this.#live?.isOn() ? 'off' : 'polite';
    if (this.#status.textContent !== text) this.#status.textContent = text;
    const help =
      response.rows.length > 0
        ? ''
        : rowArgumentsIn(endpoint, this.#current).size > 0
          ? noneMeetConditions
          : emptyText(endpoint.parameters, this.#current);
    this.#help.textContent = `${warningText(response.headers)} ${help}`.trim();
  }

  /** Rows that are shown follow their result, or are requested again. */
  #followOrRefresh(): void {
    const shown = this.#shown;
    // A request with other parameters may be on its way.
    if (shown === undefined || this.#rows.search() !== searchOf(this.#current)) return;
    const live = this.#live?.isOn() ? this.#live : undefined;
    this.#refresh.element.hidden = live !== undefined;
    this.#refresh.stop();
    if (live !== undefined) live.begin({ ...shown, rows: this.#rows.rows() }, searchOf(this.#current));
    else this.#refresh.succeeded(ageOf(shown));
  }

  #showCancelled(search: string): void {
    this.#status.textContent = 'Cancelled.';
    if (this.#rows.search() !== search) this.#hideRows();
    else if (this.#live?.isOn()) this.#followOrRefresh();
    else this.#refresh.failed(undefined);
  }

  #showFailedRefresh(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#problem.textContent = `The rows could not be refreshed, and are those of before. ${message}`;
    const refused = error instanceof GatewayError ? error : undefined;
    if (refused?.status === 401) this.#options.onProblem(refused);
    if (!isWrongRequest(refused)) this.#refresh.failed(refused?.retryAfterSeconds);
  }

  #showFailure(error: unknown): void {
    this.#status.textContent = 'There is no result.';
    this.#hideRows();
    this.#showProblem(error);
  }

  #showProblem(error: unknown): void {
    if (error instanceof GatewayError && this.#options.onProblem(error)) return;
    this.#problem.textContent = problemText(error);
  }

  #hideRows(): void {
    this.#rows.hide();
    this.#pager.show(null);
    this.#shown = undefined;
    this.#help.textContent = '';
    this.#refresh.element.hidden = true;
    this.#live?.end('');
    if (this.#live !== undefined) this.#live.element.hidden = true;
  }
}

const ageOf = ({ headers }: RowsResponse) => Number(headers.get('age') ?? 0);
