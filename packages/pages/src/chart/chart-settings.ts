import { element } from '../element.ts';
import type { Column } from '../endpoint.ts';
import type { ChartChoice } from '../view.ts';
import { nameColumnsOf, numberColumnsOf, timeColumnOf } from './data/columns.ts';

/** The fields by which people choose what is drawn. */
export interface ChartSettings {
  readonly element: HTMLElement;
  write(choice: ChartChoice): void;
}

/** Closed at first: what fits the rows is drawn already. */
export function buildChartSettings(
  columns: readonly Column[],
  onChoice: (choice: ChartChoice) => void,
): ChartSettings {
  const summary = element('summary');
  const values = boxesOf('chart-value', numberColumnsOf(columns));
  const names = boxesOf(
    'chart-split',
    nameColumnsOf(columns).map((column) => ({ ...column, unit: undefined })),
  );
  const splitText = timeColumnOf(columns) === undefined ? 'A bar for each' : 'A line for each';
  const read = (): ChartChoice => ({ values: checkedOf(values), split: checkedOf(names) });
  const write = (choice: ChartChoice) => {
    for (const { name, box } of values) box.checked = choice.values.includes(name);
    for (const { name, box } of names) box.checked = choice.split.includes(name);
    summary.textContent = `Drawn: ${listText(choice.values)}${choice.split.length === 0 ? '' : ` by ${listText(choice.split)}`}`;
  };
  const details = element(
    'details',
    { class: 'settings' },
    summary,
    fieldset('Values', values),
    ...(names.length === 0 ? [] : [fieldset(splitText, names)]),
  );
  details.addEventListener('change', () => {
    write(read());
    onChoice(read());
  });
  return { element: details, write };
}

interface Box {
  readonly name: string;
  readonly box: HTMLInputElement;
  readonly label: HTMLElement;
}

const boxesOf = (id: string, columns: readonly Column[]): readonly Box[] =>
  columns.map(({ name, unit }, at) => {
    const box = element('input', { type: 'checkbox', id: `${id}-${at}` });
    const text = unit === undefined ? name : `${name} (${unit})`;
    return { name, box, label: element('label', { for: box.id }, box, ` ${text}`) };
  });

const checkedOf = (boxes: readonly Box[]) => boxes.filter(({ box }) => box.checked).map(({ name }) => name);

const fieldset = (legend: string, boxes: readonly Box[]) =>
  element(
    'fieldset',
    { class: 'choices' },
    element('legend', {}, legend),
    ...boxes.map(({ label }) => label),
  );

const listText = (names: readonly string[]) =>
  names.length === 0
    ? 'nothing'
    : names.length <= 3
      ? names.join(', ')
      : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
