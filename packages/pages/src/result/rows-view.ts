import { buildChart } from '../chart/chart.ts';
import { pixelsOf } from '../chart/drawing/picture.ts';
import { button, element } from '../element.ts';
import type { Endpoint } from '../endpoint.ts';
import { computedAtOf, computedAtText, type Gateway, isCut, type RowsResponse } from '../gateway.ts';
import type { JsonObject } from '../json.ts';
import { compareRows, type RowChange } from '../live/row-change.ts';
import { plainText } from '../hidden-characters.ts';
import type { ChartChoice, View } from '../view.ts';
import { buildDownloads, saveFile } from './downloads.ts';
import type { RowControls } from './row-controls.ts';
import { RowTable } from './table.ts';
import { costText } from '../words.ts';

/** The rows of a query as a table and a chart, with their downloads. */
export interface RowsView {
  /** The cost of the run. */
  readonly cost: HTMLElement;
  readonly element: HTMLElement;
  /** The query string of the address whose rows are shown; undefined without rows. */
  search(): string | undefined;
  /** As the table has them: those that a refresh has left as they were are the same objects. */
  rows(): readonly JsonObject[];
  /** @param change what is other in them than in the rows that are shown, if it is known */
  show(response: RowsResponse, of: RowsSource, change?: RowChange): Promise<void>;
  hide(): void;
  /** Moves the focus to the first of the rows. */
  focusRows(): void;
}

/** Where rows come from. */
interface RowsSource {
  /** The query string of the address. */
  readonly search: string;
  /** That of the request, which may also have the size of a page. */
  readonly request: string;
}

interface RowsViewOptions {
  readonly gateway: Gateway;
  readonly endpoint: Endpoint;
  readonly view: () => View;
  readonly onView: (part: Partial<View>) => void;
  /** Receives why a download has failed. */
  readonly onProblem: (error: unknown) => void;
  readonly controls: RowControls;
}

interface Shown extends RowsSource {
  readonly rows: readonly JsonObject[];
  readonly etag: string | null;
  chart: ChartChoice | undefined;
  readonly computedAt: number | undefined;
}

export function buildRowsView(options: RowsViewOptions): RowsView {
  const { gateway, endpoint, view, onView, onProblem, controls } = options;
  let shown: Shown | undefined;
  let timeText = '';
  const search = () => shown?.search;
  const cost = element('p', { class: 'muted' });
  const table = new RowTable(endpoint.columns, (order) => onView({ order }), controls);
  const chart = buildChart({
    columns: endpoint.columns,
    onChoice(choice) {
      onView({ chart: choice });
      if (shown !== undefined) shown.chart = choice;
    },
    actions: [button('SVG', () => void savePicture('svg')), button('PNG', () => void savePicture('png'))],
  });
  const downloads = buildDownloads(gateway, endpoint, () => shown?.request ?? '', onProblem);
  async function savePicture(kind: 'svg' | 'png'): Promise<void> {
    const parameters = [...new URLSearchParams(search() ?? '')].map(
      ([name, value]) => `${name}=${plainText(value)}`,
    );
    const subtitle = [parameters.join(', '), timeText].filter((text) => text !== '').join('. ');
    const picture = chart?.picture({ title: endpoint.name, subtitle });
    if (picture === undefined) return;
    try {
      const blob = kind === 'svg' ? new Blob([picture], { type: 'image/svg+xml' }) : await pixelsOf(picture);
      saveFile(blob, `${endpoint.name}.${kind}`);
    } catch (error) {
      onProblem(error);
    }
  }
  const charts = chart === undefined ? [] : [chart.element];
  const result = element('div', { hidden: true }, ...charts, downloads, table.element);
  return {
    cost,
    element: result,
    search,
    rows: () => shown?.rows ?? [],
    async show(response, { search: newSearch, request }, change) {
      const { rows, headers } = response;
      timeText = change === undefined ? computedText(headers) : receivedText();
      cost.textContent = costText(headers.get('querygate-cost'));
      result.hidden = rows.length === 0;
      const etag = headers.get('etag');
      const { order, chart: choice } = view();
      const before = newSearch === shown?.search ? shown : undefined;
      // Equal rows stay as they are, with what was opened in them.
      const isSame = etag !== null && etag === before?.etag;
      const isRefresh = before !== undefined && !isSame;
      const next = change ?? (isRefresh ? compareRows(before.rows, rows, endpoint.rowKey) : undefined);
      const computedAt = change === undefined ? computedAtOf(headers) : Date.now() / 1000;
      // It says which bucket was not over then.
      const isSameChart =
        isSame && computedAt === shown?.computedAt && JSON.stringify(choice) === JSON.stringify(shown?.chart);
      const kept = next?.rows ?? (isSame ? before.rows : rows);
      shown = { etag, search: newSearch, request, rows: kept, chart: choice, computedAt };
      table.sort(order);
      if (next !== undefined) table.update(next, change !== undefined);
      else if (!isSame) table.show(rows);
      if (isSameChart) return;
      // The browser shows the table before it draws many points.
      await new Promise((resolve) => setTimeout(resolve));
      if (shown?.search === newSearch && shown.etag === etag)
        chart?.show(rows, choice, isCut(response), computedAt);
    },
    focusRows() {
      const rows = table.element.querySelector<HTMLElement>('.rows');
      rows?.scrollTo(0, 0);
      rows?.focus();
    },
    hide() {
      cost.textContent = '';
      result.hidden = true;
      shown = undefined;
    },
  };
}

function computedText(headers: Headers): string {
  const computedAt = computedAtText(headers);
  return computedAt === undefined ? '' : `Computed at ${computedAt}.`;
}

const receivedText = () => `Received at ${new Date().toISOString().slice(0, 19).replace('T', ' ')} UTC.`;
