import { basePath } from '../base-path.ts';
import { buildChart } from '../chart/chart.ts';
import { element } from '../element.ts';
import { endpointsOf, type Endpoint } from '../endpoint.ts';
import {
  computedAtOf,
  computedAtText,
  type Gateway,
  GatewayError,
  isCut,
  isWrongRequest,
  openGateway,
} from '../gateway.ts';
import { rowArgumentsIn, withPageSize } from '../parameters/row-arguments.ts';
import { searchOf, valuesInAddress } from '../parameters/values.ts';
import { buildAutoRefresh } from '../result/auto-refresh.ts';
import { RowTable } from '../result/table.ts';
import { viewOf } from '../view.ts';
import { emptyText, noneMeetConditions, problemText, rowsText, warningText } from '../words.ts';

export const embedPath = `${basePath}/embed/`;

/**
 * One chart in a page of another site. The token is in the fragment of the address, which browsers do not send:
 * `/embed/<name>?<parameters>#token=<token>`. `&theme=light` or `dark` is that of the page around it.
 */
export async function showEmbedded(main: HTMLElement, name: string | undefined): Promise<void> {
  document.body.classList.add('embedded');
  // The page around it may give it a new token.
  addEventListener('hashchange', () => location.reload());
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token') ?? '';
  const theme = fragment.get('theme') ?? '';
  if (theme === 'light' || theme === 'dark') document.documentElement.style.colorScheme = theme;
  const status = element('p', { role: 'status', class: 'muted' }, 'Loading…');
  main.replaceChildren(status);
  try {
    if (token === '') throw new GatewayError('The address of this frame has no #token=….', { status: 401 });
    const gateway = openGateway(token);
    const endpoint = endpointsOf(await gateway.openapi()).find((one) => one.name === name);
    if (endpoint === undefined) throw new Error('There is no such endpoint, or this token may not query it.');
    showEndpoint(main, gateway, endpoint, status);
  } catch (error) {
    status.textContent = problemText(error);
  }
}

function showEndpoint(main: HTMLElement, gateway: Gateway, endpoint: Endpoint, status: HTMLElement): void {
  const { name, summary, path, columns, parameters, caching, maxRows } = endpoint;
  document.title = name;
  const values = valuesInAddress(location.search, parameters);
  const request = searchOf(withPageSize(endpoint, values));
  const { chart: choice, order } = viewOf(location.hash);
  const chart = buildChart({ columns, onChoice: () => {}, actions: [] });
  const table = new RowTable(columns, () => {});
  const view = chart?.element ?? table.element;
  view.hidden = true;
  let shown: string | undefined;
  const refresh = buildAutoRefresh(caching, () => void load(), true);
  main.replaceChildren(element('h1', {}, summary), view, status);
  const load = async () => {
    try {
      const response = await gateway.rows(path + request, new AbortController().signal, false);
      const { rows, headers } = response;
      const computedAt = computedAtText(headers);
      // A chart says it itself.
      const part = chart === undefined && isCut(response) ? rowsText(rows.length, true, maxRows) : '';
      const found =
        rows.length === 0
          ? rowArgumentsIn(endpoint, values).size > 0
            ? noneMeetConditions
            : emptyText(parameters, values)
          : computedAt === undefined
            ? ''
            : `Rows of ${computedAt}.`;
      shown = `${warningText(headers)} ${part} ${found}`.trim();
      status.textContent = shown;
      view.hidden = rows.length === 0;
      table.sort(order);
      if (chart === undefined) table.show(rows);
      else chart.show(rows, choice, isCut(response), computedAtOf(headers));
      refresh.succeeded(Number(headers.get('age') ?? 0));
    } catch (error) {
      status.textContent =
        shown === undefined
          ? problemText(error)
          : `The rows could not be refreshed, and are those of before. ${problemText(error)} ${shown}`;
      if (!isWrongRequest(error))
        refresh.failed(error instanceof GatewayError ? error.retryAfterSeconds : undefined);
    }
  };
  void load();
}
