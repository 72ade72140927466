import { button, element } from '../element.ts';
import { type Column, valueIn } from '../endpoint.ts';
import type { JsonObject } from '../json.ts';
import type { RowChange } from '../live/row-change.ts';
import type { Order } from '../view.ts';
import { alignment, cellContent } from './cell.ts';
import { keepReachable, moveByArrowKeys, pressByCells } from './cell-keys.ts';
import { sortRows } from './order.ts';
import type { RowControls } from './row-controls.ts';
import { buildRowElements } from './row-elements.ts';

export interface RowTable {
  readonly element: HTMLElement;
  show(rows: readonly JsonObject[]): void;
  /** Shows what has changed in the rows that are shown, and marks it for a moment. */
  update(change: RowChange): void;
  sort(order: Order | undefined): void;
}

/** Rows that are put into the page at first, and with each press of the button: more would freeze a phone. */
const pageSize = 200;

/** The rows as a table. Each press of a column's head sorts it: ascending, descending, as the query ordered the rows. */
export function buildTable(
  columns: readonly Column[],
  onSort: (order: Order | undefined) => void,
  controls?: RowControls,
): RowTable {
  let rows: readonly JsonObject[] = [];
  let sorted = rows;
  let order: Order | undefined;
  let shown = 0;
  const heads = buildHeads(columns, press);
  const elements = buildRowElements(columns, (row, column) => cellOf(row, column, controls));
  moveByArrowKeys(elements.body);
  pressByCells(elements.body);
  const caption = element('caption', { 'aria-live': 'polite' });
  const more = button('', () => addRows(pageSize), { hidden: true });
  const all = button('', () => addRows(sorted.length), { hidden: true });
  const label = 'Rows, scrollable';
  const table = element(
    'div',
    { class: 'scroll rows', tabindex: 0, role: 'region', 'aria-label': label },
    element('table', {}, caption, element('thead', {}, heads.element), elements.body),
  );

  function press(column: Column): void {
    const byGateway = controls?.orderBy(column);
    if (byGateway === undefined) {
      pressOwn(column);
      return;
    }
    if (order !== undefined) onSort(undefined);
    order = undefined;
    byGateway();
  }
  function pressOwn({ name }: Column): void {
    const isSame = order?.column === name;
    order = isSame && order?.descending ? undefined : { column: name, descending: isSame };
    arrange();
    onSort(order);
  }
  function sortAll(): void {
    const column = columns.find(({ name }) => name === order?.column);
    // A column of an older address may be gone.
    if (column === undefined) order = undefined;
    sorted = column === undefined ? rows : sortRows(rows, column, order?.descending ?? false);
    heads.mark(order ?? controls?.order());
  }
  function arrange(): void {
    caption.ariaLive = 'polite';
    sortAll();
    const rowsToShow = Math.max(shown, pageSize);
    shown = 0;
    elements.clear();
    addRows(rowsToShow);
  }
  function addRows(count: number): void {
    const next = sorted.slice(shown, shown + count);
    elements.append(next);
    shown += next.length;
    describe();
  }
  function describe(): void {
    keepReachable(elements.body);
    const left = sorted.length - shown;
    more.hidden = left === 0;
    all.hidden = left <= pageSize || sorted.length > maxAll;
    more.textContent = `Show ${Math.min(left, pageSize)} more`;
    all.textContent = `Show all ${sorted.length.toLocaleString('en')}`;
    const text = captionOf(rows.length, left, shown, order ?? controls?.order());
    if (caption.textContent !== text) caption.textContent = text;
  }
  return {
    element: element('div', {}, table, element('div', { class: 'row' }, more, all)),
    show(next) {
      rows = next;
      arrange();
    },
    update(change) {
      const known = new Set(rows);
      const wasWhole = shown === sorted.length;
      rows = change.rows;
      // Screen readers would say it every few seconds.
      caption.ariaLive = 'off';
      sortAll();
      const next = sorted.slice(0, Math.max(wasWhole ? shown + pageSize : shown, pageSize));
      elements.update(next, change.before, known);
      shown = next.length;
      describe();
    },
    sort(next) {
      if (next?.column === order?.column && next?.descending === order?.descending) return;
      order = next;
      shown = 0;
      arrange();
    },
  };
}

/** More rows at once take a browser too long. */
const maxAll = 10_000;

const orderText = (order: Order | undefined) =>
  order === undefined
    ? ', in the order of the query'
    : `, sorted by ${order.column}, ${order.descending ? 'descending' : 'ascending'}`;

function captionOf(count: number, left: number, shown: number, order: Order | undefined): string {
  if (count === 0) return 'No rows';
  const part = left === 0 ? '' : `The first ${shown.toLocaleString('en')} of `;
  return `${part}${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}${orderText(order)}`;
}

/** What a cell shows; where people may filter by it, it is a button. */
function cellOf(row: JsonObject, column: Column, controls: RowControls | undefined): Node {
  const value = valueIn(row, column);
  const content = cellContent(value, column);
  const filter = controls?.filterBy(column, value);
  if (filter === undefined) return content;
  const made = button('', filter, { class: 'filter', tabindex: -1, title: 'Only rows with this value' });
  made.append(content);
  return made;
}

/** The heads of the columns, one of which is marked with the order of the rows. */
function buildHeads(columns: readonly Column[], onPress: (column: Column) => void) {
  const cells = columns.map((column) => headCell(column, () => onPress(column)));
  return {
    element: element('tr', {}, ...cells),
    mark(order: Order | undefined) {
      for (const [at, cell] of cells.entries()) {
        cell.removeAttribute('aria-sort');
        if (order !== undefined && columns[at]?.name === order.column)
          cell.setAttribute('aria-sort', order.descending ? 'descending' : 'ascending');
      }
    },
  };
}

function headCell(column: Column, onPress: () => void): HTMLTableCellElement {
  const { name, unit, type } = column;
  const more = [unit === name ? undefined : unit, type === 'timestamp' ? 'UTC' : undefined].filter(
    (text) => text !== undefined,
  );
  const head = button(name, onPress, { class: 'head' });
  if (more.length > 0) head.append(element('span', { class: 'muted' }, ` ${more.join(', ')}`));
  return element('th', { scope: 'col', class: alignment(column) }, head);
}
