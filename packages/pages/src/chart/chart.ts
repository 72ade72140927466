import { element } from '../element.ts';
import type { Column } from '../endpoint.ts';
import type { JsonObject } from '../json.ts';
import type { ChartChoice } from '../view.ts';
import { problemText } from '../words.ts';
import {
  type ChartData,
  chartData,
  defaultChoice,
  knownChoice,
  numberColumnsOf,
  timeColumnOf,
  timeText,
} from './chart-data.ts';
import { buildChartSettings } from './chart-settings.ts';
import { drawPlot, loadLibrary, type Plot } from './plot.ts';
import { buildPointReader } from './point-reader.ts';

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
  if (timeColumnOf(columns) === undefined || numberColumnsOf(columns).length === 0) return undefined;
  // While the rows are computed.
  loadLibrary().catch(() => {});
  let rows: readonly JsonObject[] = [];
  let plot: Plot | undefined;
  let latest = 0;

  const settings = buildChartSettings(columns, (choice) => {
    onChoice(choice);
    void draw(choice);
  });
  const points = buildPointReader((index) => plot?.mark(index));
  const summary = element('p', { id: 'chart-summary', class: 'muted' });
  const container = element('div', { class: 'plot', role: 'img' });
  const drawn = element('div', {}, container, ...points.elements);

  async function draw(choice: ChartChoice): Promise<void> {
    latest += 1;
    const turn = latest;
    const data = chartData(rows, columns, choice);
    summary.textContent = summaryText(data);
    drawn.hidden = data.times.length === 0 || data.series.length === 0;
    plot?.close();
    plot = undefined;
    if (drawn.hidden) return;
    points.read(data);
    container.setAttribute('aria-label', `Line chart. ${summary.textContent} The table has the same values.`);
    const made = await drawPlot({
      container,
      data,
      axisLabel: (unit) => axisLabel(unit, data),
      colorOf: points.colorOf,
      onPoint: points.showPoint,
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
  }

  const figure = element('figure', { 'aria-labelledby': summary.id }, ...settings.elements, summary, drawn);
  return {
    element: figure,
    show(next, requested) {
      rows = next;
      figure.hidden = rows.length === 0;
      const choice = knownChoice(requested, columns) ?? defaultChoice(next, columns);
      settings.write(choice);
      return draw(choice);
    },
  };
}

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
