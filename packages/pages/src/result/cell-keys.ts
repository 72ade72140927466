/**
 * One of the buttons in the cells of a table is reached by Tab, and the others from there by arrow keys, as in the pattern
 * "grid" of the ARIA Authoring Practices: there may be thousands.
 */
export function moveByArrowKeys(body: HTMLTableSectionElement): void {
  body.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || !target.matches(cellButton)) return;
    for (const one of body.querySelectorAll<HTMLElement>(`${cellButton}[tabindex="0"]`)) one.tabIndex = -1;
    target.tabIndex = 0;
  });
  body.addEventListener('keydown', (event) => {
    const cell =
      event.target instanceof Element && event.target.matches(cellButton) && event.target.closest('td');
    if (!cell) return;
    const next = nextOf(cell, event.key);
    if (next === undefined) return;
    event.preventDefault();
    next?.focus();
  });
}

/** A press beside the text of a cell counts as one of its button, unless it ends a selection of text. */
export function pressByCells(body: HTMLTableSectionElement): void {
  body.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLTableCellElement) || getSelection()?.isCollapsed === false) return;
    target.querySelector<HTMLElement>(cellButton)?.click();
  });
}

/** To be called when rows have come or gone: Tab reaches the first if it would reach none. */
export function keepReachable(body: HTMLTableSectionElement): void {
  if (body.querySelector(`${cellButton}[tabindex="0"]`) !== null) return;
  const first = body.querySelector<HTMLElement>(cellButton);
  if (first !== null) first.tabIndex = 0;
}

const cellButton = 'button.filter';

const buttonIn = (cell: Element | undefined | null) => cell?.querySelector<HTMLElement>(cellButton) ?? null;

/** @returns null at an edge of the table; undefined for any other key */
function nextOf(cell: HTMLTableCellElement, key: string): HTMLElement | null | undefined {
  const row = cell.parentElement as HTMLTableRowElement;
  const cells = [...row.cells];
  const before = cells.slice(0, cell.cellIndex).toReversed();
  const after = cells.slice(cell.cellIndex + 1);
  const firstIn = (some: readonly Element[]) => buttonIn(some.find((one) => buttonIn(one) !== null));
  switch (key) {
    case 'ArrowLeft':
      return firstIn(before);
    case 'ArrowRight':
      return firstIn(after);
    case 'Home':
      return firstIn(cells);
    case 'End':
      return firstIn(cells.toReversed());
    case 'ArrowUp':
      return beyond(cell, (one) => one.previousElementSibling);
    case 'ArrowDown':
      return beyond(cell, (one) => one.nextElementSibling);
    default:
      return undefined;
  }
}

/** The nearest button of the same column: long texts have none. */
function beyond(
  { parentElement, cellIndex }: HTMLTableCellElement,
  step: (row: Element) => Element | null,
): HTMLElement | null {
  for (let row = parentElement && step(parentElement); row !== null; row = step(row)) {
    const found = buttonIn(row.children[cellIndex]);
    if (found !== null) return found;
  }
  return null;
}
