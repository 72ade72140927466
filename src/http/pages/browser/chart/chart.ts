import { element } from '../element.ts';
import type { Column } from '../endpoint.ts';
import type { JsonObject } from '../json.ts';
import { problemText } from '../result/problem-text.ts';
import {
  type ChartChoice,
  type ChartData,
  chartData,
  defaultChoice,
  knownChoice,
  maxSeries,
  numberColumnsOf,
  splitColumnsOf,
  timeColumnOf,
  timeText,
} from './chart-data.ts';
import { valueNumber } from './number-text.ts';
import { drawPlot, loadLibrary, type Plot } from './plot.ts';

export interface Chart {
  readonly element: HTMLElement;
  /** @param choice undefined: what fits the rows */
  show(rows: readonly JsonObject[], choice: ChartChoice | undefined): Promise<void>;
}

/** @returns undefined if the rows have no time, or no numbers */
export function buildChart(
  columns: readonly Column[],
  onChoice: (choice: ChartChoice) => void,
): Chart | undefined {
  const numbers = numberColumnsOf(columns);
  const time = timeColumnOf(columns);
  if (time === undefined || numbers.length === 0) return undefined;
  // While the rows are computed.
  loadLibrary().catch(() => {});
  let rows: readonly JsonObject[] = [];
  let plot: Plot | undefined;
  let latest = 0;

  const boxes = numbers.map(({ name, unit }, at) => {
    const box = element('input', { type: 'checkbox', id: `chart-value-${at}` });
    const text = unit === undefined ? name : `${name} (${unit})`;
    return { name, box, label: element('label', { for: box.id }, box, ` ${text}`) };
  });
  const split = element('select', { id: 'chart-split' }, element('option', { value: '' }, 'nothing'));
  for (const { name } of splitColumnsOf(columns)) split.append(element('option', { value: name }, name));
  const summary = element('p', { id: 'chart-summary', class: 'muted' });
  const container = element('div', { class: 'plot', role: 'img' });
  const legend = element('ul', { class: 'legend' });
  const slider = element('input', { type: 'range', id: 'chart-point', min: 0, step: 1 });
  const moment = element('output', { for: slider.id });
  const drawn = element(
    'div',
    {},
    container,
    element(
      'div',
      { class: 'row' },
      element('label', { for: slider.id }, 'Read the values at'),
      slider,
      moment,
    ),
    legend,
  );
  const settings = [
    element(
      'fieldset',
      { class: 'choices' },
      element('legend', {}, 'Values'),
      ...boxes.map(({ label }) => label),
    ),
    ...(split.options.length === 1
      ? []
      : [element('div', { class: 'row' }, element('label', { for: split.id }, 'Split by'), split)]),
  ];

  const choose = () => {
    const choice = {
      values: boxes.filter(({ box }) => box.checked).map(({ name }) => name),
      split: split.value || undefined,
    };
    onChoice(choice);
    void draw(choice);
  };
  for (const { box } of boxes) box.addEventListener('change', choose);
  split.addEventListener('change', choose);

  async function draw(choice: ChartChoice): Promise<void> {
    latest += 1;
    const turn = latest;
    const data = chartData(rows, columns, choice);
    summary.textContent = summaryText(data);
    drawn.hidden = data.times.length === 0 || data.series.length === 0;
    plot?.close();
    plot = undefined;
    if (drawn.hidden) return;
    const items = data.series.map(({ name }, at) => {
      const value = element('span', { class: 'value' });
      const swatch = element('span', {
        class: `swatch series-${(at % maxSeries) + 1}${at % 2 === 1 ? ' dashed' : ''}`,
      });
      return { swatch, value, item: element('li', {}, swatch, ` ${name} `, value) };
    });
    legend.replaceChildren(...items.map(({ item }) => item));
    container.setAttribute('aria-label', `Line chart. ${summary.textContent} The table has the same values.`);
    slider.max = String(data.times.length - 1);
    const showPoint = (index: number) => {
      const texts = data.series.map(({ name, unit, points }, at) => {
        const text = valueText(points[index], unit);
        const { value } = items[at] ?? {};
        if (value !== undefined) value.textContent = text;
        return `${name} ${text}`;
      });
      slider.value = String(index);
      moment.textContent = `${timeText(data.times[index] ?? 0)} UTC`;
      slider.setAttribute('aria-valuetext', `${moment.textContent}: ${texts.join(', ')}`);
    };
    showPoint(data.times.length - 1);
    const made = await drawPlot({
      container,
      data,
      axisLabel: (unit) => axisLabel(unit, data),
      colorOf: (at) => getComputedStyle(items[at]?.swatch ?? container).color,
      onPoint: showPoint,
    }).catch(problemText);
    if (typeof made === 'string') {
      if (turn !== latest) return;
      summary.textContent = `The chart cannot be drawn. ${made}`;
      drawn.hidden = true;
      return;
    }
    // Something else was chosen while the library was loaded.
    if (turn !== latest) return made.close();
    plot = made;
    slider.oninput = () => {
      showPoint(Number(slider.value));
      made.mark(Number(slider.value));
    };
  }

  const figure = element('figure', { 'aria-labelledby': summary.id }, ...settings, summary, drawn);
  return {
    element: figure,
    show(next, requested) {
      rows = next;
      figure.hidden = rows.length === 0;
      const choice = knownChoice(requested, columns) ?? defaultChoice(next, columns);
      for (const { name, box } of boxes) box.checked = choice.values.includes(name);
      split.value = choice.split ?? '';
      if (split.selectedIndex < 0) split.value = '';
      return draw(choice);
    },
  };
}

const valueText = (value: number | null | undefined, unit: string) =>
  value === null || value === undefined
    ? 'no value'
    : `${valueNumber(value)}${unit === '' ? '' : ` ${unit}`}`;

/** The title of an axis: the unit, or else the columns without one. */
export function axisLabel(unit: string, { series }: ChartData): string {
  if (unit !== '') return unit;
  const names = [...new Set(series.filter((one) => one.unit === '').map(({ column }) => column))];
  return names.length <= 2 ? names.join(', ') : 'number';
}

function summaryText({ times, series, empty, buckets, notes }: ChartData): string {
  const [first, last] = [times[0], times.at(-1)];
  if (series.length === 0 || first === undefined || last === undefined) {
    return times.length === 0 ? 'There is nothing to draw.' : 'Choose a value to draw.';
  }
  const gaps =
    empty.length === 0 ? '' : ` ${empty.length} of ${buckets} buckets have no rows, and are shaded.`;
  return [`${timeText(first)} to ${timeText(last)} UTC.${gaps}`, ...notes].join(' ');
}
