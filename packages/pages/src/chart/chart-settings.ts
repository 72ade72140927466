import { element } from '../element.ts';
import type { Column } from '../endpoint.ts';
import type { ChartChoice } from '../view.ts';
import { numberColumnsOf, splitColumnsOf } from './chart-data.ts';

/** The fields by which people choose what is drawn. */
export interface ChartSettings {
  readonly elements: readonly HTMLElement[];
  write(choice: ChartChoice): void;
}

export function buildChartSettings(
  columns: readonly Column[],
  onChoice: (choice: ChartChoice) => void,
): ChartSettings {
  const boxes = numberColumnsOf(columns).map(({ name, unit }, at) => {
    const box = element('input', { type: 'checkbox', id: `chart-value-${at}` });
    const text = unit === undefined ? name : `${name} (${unit})`;
    return { name, box, label: element('label', { for: box.id }, box, ` ${text}`) };
  });
  const split = element('select', { id: 'chart-split' }, element('option', { value: '' }, 'nothing'));
  for (const { name } of splitColumnsOf(columns)) split.append(element('option', { value: name }, name));

  const choose = () =>
    onChoice({
      values: boxes.filter(({ box }) => box.checked).map(({ name }) => name),
      split: split.value || undefined,
    });
  for (const { box } of boxes) box.addEventListener('change', choose);
  split.addEventListener('change', choose);

  const labels = boxes.map(({ label }) => label);
  const values = element('fieldset', { class: 'choices' }, element('legend', {}, 'Values'), ...labels);
  const splitRow = element('div', { class: 'row' }, element('label', { for: split.id }, 'Split by'), split);
  return {
    elements: split.options.length === 1 ? [values] : [values, splitRow],
    write(choice) {
      for (const { name, box } of boxes) box.checked = choice.values.includes(name);
      split.value = choice.split ?? '';
      if (split.selectedIndex < 0) split.value = '';
    },
  };
}
