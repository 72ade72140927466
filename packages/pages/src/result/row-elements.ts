import { element } from '../element.ts';
import { type Column, valueIn } from '../endpoint.ts';
import type { JsonObject } from '../json.ts';
import { isEqual, type RowChange } from '../live/row-change.ts';
import { alignment } from './cell.ts';

/** The rows that are in the page. */
export interface RowElements {
  readonly body: HTMLTableSectionElement;
  /** Removes all. */
  clear(): void;
  append(rows: readonly JsonObject[]): void;
  /**
   * Shows these rows in place of those before. Elements of equal rows stay, with the focus, what is selected and what is
   * opened in them.
   *
   * @param known all rows before the change
   * @param isMarked whether what has changed is marked for a moment
   */
  update(
    rows: readonly JsonObject[],
    before: RowChange['before'],
    known: ReadonlySet<JsonObject>,
    isMarked: boolean,
  ): void;
}

/** How long a change is marked. */
const markMs = 2_500;

export function buildRowElements(
  columns: readonly Column[],
  contentOf: (row: JsonObject, column: Column) => Node,
): RowElements {
  const body = element('tbody');
  let elements = new Map<JsonObject, HTMLTableRowElement>();

  const build = (row: JsonObject) =>
    element(
      'tr',
      {},
      ...columns.map((column) => element('td', { class: alignment(column) }, contentOf(row, column))),
    );

  /** @returns the cells whose values are others */
  function changeCells(made: HTMLTableRowElement, was: JsonObject, row: JsonObject): readonly HTMLElement[] {
    return columns.flatMap((column, at) => {
      const cell = made.cells[at];
      if (cell === undefined || isEqual(valueIn(was, column), valueIn(row, column))) return [];
      const isOpen = cell.querySelector('details')?.open === true;
      const hasFocus = cell.contains(document.activeElement);
      cell.replaceChildren(contentOf(row, column));
      const details = cell.querySelector('details');
      if (details !== null) details.open = isOpen;
      if (hasFocus) cell.querySelector<HTMLElement>('summary, button')?.focus({ preventScroll: true });
      return [cell];
    });
  }

  return {
    body,
    clear() {
      elements.clear();
      body.replaceChildren();
    },
    append(rows) {
      const made = rows.map((row) => [row, build(row)] as const);
      body.append(...made.map(([, row]) => row));
      for (const [row, one] of made) elements.set(row, one);
    },
    update(rows, before, known, isMarked) {
      const marked: HTMLElement[] = [];
      const next = new Map<JsonObject, HTMLTableRowElement>();
      for (const row of rows) {
        const was = before.get(row);
        const made = elements.get(was ?? row) ?? build(row);
        if (was !== undefined && elements.has(was)) marked.push(...changeCells(made, was, row));
        else if (was === undefined && !known.has(row)) marked.push(made);
        next.set(row, made);
      }
      elements = next;
      keepPlace(body, () => arrange(body, [...next.values()]));
      if (isMarked) mark(marked);
    },
  };
}

function mark(marked: readonly HTMLElement[]): void {
  for (const one of marked) one.classList.add('changed');
  setTimeout(() => {
    for (const one of marked) one.classList.remove('changed');
  }, markMs);
}

/** Browsers of 2025 move an element without taking its focus and its selection away. */
interface Movable {
  moveBefore?(node: Node, next: Node | null): void;
}

/** Makes these the rows of a table; those that are in their place already are not touched. */
function arrange(body: HTMLTableSectionElement & Movable, rows: readonly HTMLTableRowElement[]): void {
  const stay = new Set(rows);
  for (const one of [...body.rows]) if (!stay.has(one)) one.remove();
  const focused = document.activeElement;
  let place = body.firstElementChild;
  for (const one of rows) {
    // A row that goes further down would otherwise move all below it.
    if (place !== one && place?.nextElementSibling === one) {
      const moved = place;
      place = one;
      put(body, moved, null);
    }
    if (place === one) place = one.nextElementSibling;
    else put(body, one, place);
  }
  if (focused instanceof HTMLElement && focused !== document.activeElement && body.contains(focused))
    focused.focus({ preventScroll: true });
}

function put(body: HTMLTableSectionElement & Movable, row: Element, next: Element | null): void {
  if (row.isConnected && body.moveBefore !== undefined) body.moveBefore(row, next);
  else body.insertBefore(row, next);
}

/** Leaves what people read where it is, whatever is put above it; at the top they see what is new. */
function keepPlace(body: HTMLTableSectionElement, change: () => void): void {
  const scroller = body.closest('.scroll');
  if (scroller === null || scroller.scrollTop === 0) {
    change();
    return;
  }
  const topOf = (row: Element) => row.getBoundingClientRect().top;
  const head = scroller.querySelector('thead')?.getBoundingClientRect().bottom ?? 0;
  const places = [...body.rows].flatMap((row) => (topOf(row) >= head ? [{ row, top: topOf(row) }] : []));
  change();
  const stayed = places.find(({ row }) => row.isConnected);
  if (stayed !== undefined) scroller.scrollTop += topOf(stayed.row) - stayed.top;
}
