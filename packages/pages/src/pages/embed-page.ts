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
import { emptyText, noneMeetConditions, problemText, warningText } from '../words.ts';

export const embedPath = `${basePath}/embed/`;

/**
 * One chart in a page of another site. The token is in the fragment of the address, which browsers do not send:
 * `/embed/<name>?<parameters>#token=<token>`. `&theme=light` or `dark` is that of the page around it.
 */
export async function showEmbedded(main: HTMLElement, name: string | undefined): Promise<void> {
  document.body.classList.add('embedded');
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
  const { name, summary, path, columns, parameters, caching } = endpoint;
  document.title = name;
  const values = valuesInAddress(location.search, parameters);
  const request = searchOf(withPageSize(endpoint, values));
  const { chart: choice, order } = viewOf(location.hash);
  const chart = buildChart({ columns, onChoice: () => {}, actions: [] });
  const table = new RowTable(columns, () => {});
  const refresh = buildAutoRefresh(caching, () => void load(), true);
  main.replaceChildren(
    element('h1', {}, summary),
    ...(chart === undefined ? [table.element] : [chart.element]),
    status,
  );
  const load = async () => {
    try {
      const response = await gateway.rows(path + request, new AbortController().signal, false);
      const { rows, headers } = response;
      const computedAt = computedAtText(headers);
      const found =
        rows.length === 0
          ? rowArgumentsIn(endpoint, values).size > 0
            ? noneMeetConditions
            : emptyText(parameters, values)
          : computedAt === undefined
            ? ''
            : `Rows of ${computedAt}.`;
      status.textContent = `${warningText(headers)} ${found}`.trim();
      table.sort(order);
      if (chart === undefined) table.show(rows);
      else chart.show(rows, choice, isCut(response), computedAtOf(headers));
      refresh.succeeded(Number(headers.get('age') ?? 0));
    } catch (error) {
      status.textContent = problemText(error);
      if (!isWrongRequest(error))
        refresh.failed(error instanceof GatewayError ? error.retryAfterSeconds : undefined);
    }
  };
  void load();
}
