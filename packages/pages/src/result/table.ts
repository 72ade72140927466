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

/** Rows that are put into the page at first, and with each press of the button: more would freeze a phone. */
const pageSize = 200;

/** The rows as a table. Each press of a column's head sorts it: ascending, descending, as the query ordered the rows. */
export class RowTable {
  readonly element: HTMLElement;
  readonly #columns: readonly Column[];
  readonly #onSort: (order: Order | undefined) => void;
  readonly #controls: RowControls | undefined;
  readonly #caption = element('caption', { 'aria-live': 'polite' });
  readonly #more = button('', () => this.#addRows(pageSize), { hidden: true });
  readonly #all = button('', () => this.#addRows(this.#sorted.length), { hidden: true });
  readonly #heads: ReturnType<typeof buildHeads>;
  readonly #elements: ReturnType<typeof buildRowElements>;
  #rows: readonly JsonObject[] = [];
  #sorted: readonly JsonObject[] = [];
  #order: Order | undefined;
  /** How many rows are in the page. */
  #shown = 0;

  constructor(
    columns: readonly Column[],
    onSort: (order: Order | undefined) => void,
    controls?: RowControls,
  ) {
    this.#columns = columns;
    this.#onSort = onSort;
    this.#controls = controls;
    this.#heads = buildHeads(columns, (column) => this.#press(column));
    this.#elements = buildRowElements(columns, (row, column) => cellOf(row, column, controls));
    const { body } = this.#elements;
    moveByArrowKeys(body);
    pressByCells(body);
    const table = element(
      'div',
      { class: 'scroll rows', tabindex: 0, role: 'region', 'aria-label': 'Rows, scrollable' },
      element('table', {}, this.#caption, element('thead', {}, this.#heads.element), body),
    );
    this.element = element('div', {}, table, element('div', { class: 'row' }, this.#more, this.#all));
  }

  show(rows: readonly JsonObject[]): void {
    this.#rows = rows;
    this.#arrange();
  }

  /** Shows what has changed in the rows that are shown. @param isMarked whether it is marked for a moment */
  update(change: RowChange, isMarked: boolean): void {
    const known = new Set(this.#rows);
    const wasWhole = this.#shown === this.#sorted.length;
    this.#rows = change.rows;
    // Screen readers would say it every few seconds.
    this.#caption.ariaLive = 'off';
    this.#sortRows();
    const count = Math.max(wasWhole ? this.#shown + pageSize : this.#shown, pageSize);
    const next = this.#sorted.slice(0, count);
    this.#elements.update(next, change.before, known, isMarked);
    this.#shown = next.length;
    this.#describe();
  }

  sort(order: Order | undefined): void {
    if (order?.column === this.#order?.column && order?.descending === this.#order?.descending) return;
    this.#order = order;
    this.#shown = 0;
    this.#arrange();
  }

  #press(column: Column): void {
    const byGateway = this.#controls?.orderBy(column);
    if (byGateway === undefined) {
      this.#pressOwn(column);
      return;
    }
    if (this.#order !== undefined) this.#onSort(undefined);
    this.#order = undefined;
    byGateway();
  }

  #pressOwn({ name }: Column): void {
    const isSame = this.#order?.column === name;
    this.#order = isSame && this.#order?.descending ? undefined : { column: name, descending: isSame };
    this.#arrange();
    this.#onSort(this.#order);
  }

  #sortRows(): void {
    const column = this.#columns.find(({ name }) => name === this.#order?.column);
    // A column of an older address may be gone.
    if (column === undefined) this.#order = undefined;
    const descending = this.#order?.descending ?? false;
    this.#sorted = column === undefined ? this.#rows : sortRows(this.#rows, column, descending);
    this.#heads.mark(this.#shownOrder());
  }

  #shownOrder(): Order | undefined {
    return this.#order ?? this.#controls?.order();
  }

  #arrange(): void {
    this.#caption.ariaLive = 'polite';
    this.#sortRows();
    const rowsToShow = Math.max(this.#shown, pageSize);
    this.#shown = 0;
    this.#elements.clear();
    this.#addRows(rowsToShow);
  }

  #addRows(count: number): void {
    const next = this.#sorted.slice(this.#shown, this.#shown + count);
    this.#elements.append(next);
    this.#shown += next.length;
    this.#describe();
  }

  #describe(): void {
    keepReachable(this.#elements.body);
    const count = this.#sorted.length;
    const left = count - this.#shown;
    this.#more.hidden = left === 0;
    this.#all.hidden = left <= pageSize || count > maxAll;
    this.#more.textContent = `Show ${Math.min(left, pageSize)} more`;
    this.#all.textContent = `Show all ${count.toLocaleString('en')}`;
    const text = captionOf(this.#rows.length, left, this.#shown, this.#shownOrder());
    if (this.#caption.textContent !== text) this.#caption.textContent = text;
  }
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

/** The content of a cell, as a button where people may filter by it. */
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
