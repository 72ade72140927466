import { element } from '../element.ts';
import { maxLines } from './data/choice.ts';
import { readableNumber } from './data/number-text.ts';
import { momentText } from './drawing/time-axis.ts';
import type { Line, TimeData } from './data/time-data.ts';

/** A slider over the times of a chart, and a legend with the values at the chosen one. */
export interface PointReader {
  readonly elements: readonly HTMLElement[];
  /** Shows other data: at the time that was chosen, if it has it, or at its last one. @returns the index if it was chosen */
  read(data: TimeData): number | undefined;
  /** @param index of the time */
  showPoint(index: number): void;
}

/** @param onPoint called when people choose a time, with its index */
export function buildPointReader(onPoint: (index: number) => void): PointReader {
  let data: TimeData | undefined;
  let values: readonly HTMLElement[] = [];
  const legend = element('ul', { class: 'legend' });
  const slider = element('input', { type: 'range', id: 'chart-point', min: 0, step: 1 });
  const moment = element('output', { for: slider.id });
  const label = element('label', { for: slider.id }, 'Values at');

  const showPoint = (index: number) => {
    if (data === undefined) return;
    const texts = data.lines.map((line, at) => {
      const { shown, exact } = valueText(line, index);
      const value = values[at];
      if (value !== undefined) {
        value.textContent = shown;
        value.title = exact;
      }
      return `${line.name} ${shown}`;
    });
    slider.value = String(index);
    const time = data.times[index] ?? 0;
    moment.textContent = `${momentText(data, time)}${time === data.unfinished?.time ? ', not over' : ''}`;
    slider.setAttribute('aria-valuetext', `${moment.textContent}: ${texts.join(', ')}`);
  };
  slider.addEventListener('input', () => {
    showPoint(Number(slider.value));
    onPoint(Number(slider.value));
  });
  return {
    elements: [legend, element('div', { class: 'row point' }, label, slider, moment)],
    read(next) {
      const chosen =
        Number(slider.value) < Number(slider.max) ? data?.times[Number(slider.value)] : undefined;
      const index = chosen === undefined ? -1 : next.times.indexOf(chosen);
      data = next;
      values = next.lines.map(() => element('span', { class: 'value' }));
      legend.replaceChildren(
        ...next.lines.map(({ name }, at) => {
          const dashed = at % 2 === 1 && !next.isScattered ? ' dashed' : '';
          const swatch = element('span', { class: `swatch series-${(at % maxLines) + 1}${dashed}` });
          return element('li', {}, swatch, ' ', element('bdi', {}, name), ' ', values[at] ?? '');
        }),
      );
      slider.max = String(next.times.length - 1);
      showPoint(index < 0 ? next.times.length - 1 : index);
      return index < 0 ? undefined : index;
    },
    showPoint,
  };
}

/** Rounded for reading, and with all digits. */
function valueText(
  { points, column }: Line,
  index: number,
): { readonly shown: string; readonly exact: string } {
  const found = points[index] ?? [];
  const unit = column.unit === undefined ? '' : ` ${column.unit}`;
  const [first, ...others] = found;
  if (first === undefined) return { shown: 'no value', exact: '' };
  if (others.length === 0)
    return { shown: `${readableNumber(first.value)}${unit}`, exact: `${first.text}${unit}` };
  const numbers = found.map(({ value }) => value);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return {
    shown: `${found.length} values, ${readableNumber(least)} to ${readableNumber(most)}${unit}`,
    exact: found
      .slice(0, 50)
      .map(({ text }) => text)
      .join(', '),
  };
}
