import { element } from '../element.ts';
import { type ChartData, maxSeries, timeText } from './chart-data.ts';
import { valueNumber } from './number-text.ts';

/** A slider over the times of a chart, and a legend with the values at the chosen one. */
export interface PointReader {
  readonly elements: readonly HTMLElement[];
  /** Shows the last values of other data. */
  read(data: ChartData): void;
  /** @param index of the time */
  showPoint(index: number): void;
  /** The color of a series, by its place in the data. */
  colorOf(at: number): string;
}

/** @param onPoint called when people choose a time, with its index */
export function buildPointReader(onPoint: (index: number) => void): PointReader {
  let data: ChartData | undefined;
  let items: readonly { readonly swatch: HTMLElement; readonly value: HTMLElement }[] = [];
  const legend = element('ul', { class: 'legend' });
  const slider = element('input', { type: 'range', id: 'chart-point', min: 0, step: 1 });
  const moment = element('output', { for: slider.id });
  const label = element('label', { for: slider.id }, 'Read the values at');

  const showPoint = (index: number) => {
    const { series = [], times = [] } = data ?? {};
    const texts = series.map(({ name, unit, points }, at) => {
      const text = valueText(points[index], unit);
      const { value } = items[at] ?? {};
      if (value !== undefined) value.textContent = text;
      return `${name} ${text}`;
    });
    slider.value = String(index);
    moment.textContent = `${timeText(times[index] ?? 0)} UTC`;
    slider.setAttribute('aria-valuetext', `${moment.textContent}: ${texts.join(', ')}`);
  };
  slider.addEventListener('input', () => {
    showPoint(Number(slider.value));
    onPoint(Number(slider.value));
  });
  return {
    elements: [element('div', { class: 'row' }, label, slider, moment), legend],
    read(next) {
      data = next;
      items = next.series.map((_, at) => ({
        swatch: element('span', {
          class: `swatch series-${(at % maxSeries) + 1}${at % 2 === 1 ? ' dashed' : ''}`,
        }),
        value: element('span', { class: 'value' }),
      }));
      legend.replaceChildren(
        ...items.map(({ swatch, value }, at) =>
          element('li', {}, swatch, ` ${next.series[at]?.name} `, value),
        ),
      );
      slider.max = String(next.times.length - 1);
      showPoint(next.times.length - 1);
    },
    showPoint,
    colorOf: (at) => getComputedStyle(items[at]?.swatch ?? legend).color,
  };
}

const valueText = (value: number | null | undefined, unit: string) =>
  value === null || value === undefined
    ? 'no value'
    : `${valueNumber(value)}${unit === '' ? '' : ` ${unit}`}`;
