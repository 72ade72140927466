import { button, element } from '../element.ts';
import type { Column, Endpoint } from '../endpoint.ts';
import { plainText } from '../hidden-characters.ts';
import type { Json } from '../json.ts';
import {
  conditionOf,
  orderIn,
  rowArgumentNames,
  shownArguments,
  withCondition,
  withNextOrder,
  withoutArgument,
} from '../parameters/row-arguments.ts';
import type { ParameterValues } from '../parameters/values.ts';
import type { Order } from '../view.ts';

/** How people choose rows in the table, where the gateway filters and orders them. */
export interface RowControls {
  /** By which column the gateway has ordered the rows. */
  order(): Order | undefined;
  /** @returns what a press of the column's name does; undefined if the gateway does not order by it */
  orderBy(column: Column): (() => void) | undefined;
  /** @returns what a press of a cell does; undefined if rows cannot be filtered by its value */
  filterBy(column: Column, value: Json | undefined): (() => void) | undefined;
}

export function buildRowControls(
  endpoint: Endpoint,
  values: () => ParameterValues,
  onValues: (next: ParameterValues) => void,
): RowControls {
  return {
    order: () => orderIn(endpoint, values()),
    orderBy: ({ name }) =>
      endpoint.order.includes(name) && rowArgumentNames(endpoint).includes('order')
        ? () => onValues(withNextOrder(endpoint, values(), name))
        : undefined,
    filterBy(column, value) {
      const condition = conditionOf(endpoint, column, value);
      return condition && (() => onValues(withCondition(endpoint, values(), condition)));
    },
  };
}

export interface Chips {
  readonly element: HTMLElement;
  show(values: ParameterValues): void;
}

/** The conditions on the rows, each with a button that removes it. */
export function buildChips(endpoint: Endpoint, onValues: (next: ParameterValues) => void): Chips {
  const list = element('ul', { class: 'chips', 'aria-label': 'Conditions on the rows', hidden: true });
  const chips = (values: ParameterValues) =>
    shownArguments(endpoint, values).map((argument, at) => {
      // The condition may be from a link of another person.
      const label = plainText(argument.label);
      const remove = button(
        '×',
        () => {
          onValues(withoutArgument(endpoint, values, argument));
          const buttons = list.querySelectorAll('button');
          (buttons[at] ?? buttons[at - 1] ?? document.getElementById('main'))?.focus();
        },
        { 'aria-label': `Remove: ${label}`, title: 'Remove' },
      );
      return element('li', { class: 'chip' }, element('span', { dir: 'auto' }, label), ' ', remove);
    });
  return {
    element: list,
    show(values) {
      list.replaceChildren(...chips(values));
      list.hidden = list.children.length === 0;
    },
  };
}

export interface Pager {
  readonly element: HTMLElement;
  /** @param link the header `Link` of the rows */
  show(link: string | null): void;
}

/** Buttons for the page before and after the rows that are shown. */
export function buildPager(
  { pageKeys: [key], columns }: Endpoint,
  onPage: (name: 'after' | 'before', cursor: string) => void,
): Pager {
  const isOfTime = columns.some(({ name, type }) => name === key?.column && /^(?:date|timestamp)/.test(type));
  const [previous, next] = isOfTime
    ? key?.descending
      ? ['Newer rows', 'Older rows']
      : ['Older rows', 'Newer rows']
    : ['Previous rows', 'Next rows'];
  const buttonOf = (text: string, name: 'after' | 'before', relation: string) => {
    let cursor: string | undefined;
    const made = button(text, () => cursor !== undefined && onPage(name, cursor), { hidden: true });
    const show = (link: string | null) => {
      const [, target = ''] = new RegExp(`<([^>]*)>; rel="${relation}"`).exec(link ?? '') ?? [];
      cursor = new URLSearchParams(target.split('?')[1]).get(name) ?? undefined;
      made.hidden = cursor === undefined;
    };
    return { made, show };
  };
  const buttons = [buttonOf(previous, 'before', 'prev'), buttonOf(next, 'after', 'next')];
  const group = element(
    'div',
    { class: 'row', role: 'group', 'aria-label': 'Pages of rows', hidden: true },
    ...buttons.map(({ made }) => made),
  );
  return {
    element: group,
    show(link) {
      for (const { show } of buttons) show(link);
      group.hidden = buttons.every(({ made }) => made.hidden);
    },
  };
}
