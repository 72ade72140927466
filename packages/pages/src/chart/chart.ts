import { element } from '../element.ts';
import type { Column } from '../endpoint.ts';
import type { JsonObject } from '../json.ts';
import type { ChartChoice } from '../view.ts';
import { barData } from './data/bar-data.ts';
import { drawBars } from './drawing/bar-drawing.ts';
import { buildChartSettings } from './chart-settings.ts';
import { defaultChoice, knownChoice } from './data/choice.ts';
import { nameColumnsOf, numberColumnsOf, timeColumnOf } from './data/columns.ts';
import { omittedText } from './data/left.ts';
import { type PictureTexts, pictureOf } from './drawing/picture.ts';
import { buildPointReader } from './point-reader.ts';
import { type Shape, shape, svgElement } from './drawing/shape.ts';
import { momentText } from './drawing/time-axis.ts';
import { timestampText } from '../timestamp.ts';
import { type TimeData, timeData } from './data/time-data.ts';
import { drawTimes, type TimeDrawing } from './drawing/time-drawing.ts';

export interface Chart {
  readonly element: HTMLElement;
  /**
   * @param choice undefined: what fits the rows
   * @param isCut whether the query has more rows than these
   * @param computedAt when they were computed, in seconds since 1970
   */
  show(
    rows: readonly JsonObject[],
    choice: ChartChoice | undefined,
    isCut: boolean,
    computedAt: number | undefined,
  ): void;
  /** What is drawn, as a file of SVG; undefined if it is nothing. */
  picture(texts: Pick<PictureTexts, 'title' | 'subtitle'>): string | undefined;
}

interface ChartOptions {
  readonly columns: readonly Column[];
  readonly onChoice: (choice: ChartChoice) => void;
  /** What is shown below the drawing, beside the settings. */
  readonly actions: readonly HTMLElement[];
}

/** @returns undefined if the columns have no numbers, or nothing that names them: a time or a text */
export function buildChart({ columns, onChoice, actions }: ChartOptions): Chart | undefined {
  const time = timeColumnOf(columns);
  const numbers = numberColumnsOf(columns);
  const isNamed =
    time !== undefined || nameColumnsOf(columns).some((column) => numbers.some((one) => one !== column));
  if (numbers.length === 0 || !isNamed) return undefined;
  let rows: readonly JsonObject[] = [];
  let computedAt: number | undefined;
  let chosen: ChartChoice | undefined;
  let drawing: TimeDrawing | undefined;
  let drawnWidth = 0;
  let cutText = '';
  let legend: PictureTexts['legend'] = [];
  let chosenPoint: number | undefined;

  const settings = buildChartSettings(columns, (choice) => {
    chosen = choice;
    onChoice(choice);
    draw();
  });
  const points = buildPointReader((index) => mark(index));
  const reader = element('div', {}, ...points.elements);
  const summary = element('p', { id: 'chart-summary', class: 'muted' });
  const container = element('div', { class: 'plot' });
  const cursor = svgElement(shape('line', { class: 'cursor' }));

  function draw(): void {
    if (chosen === undefined) return;
    drawnWidth = Math.max(Math.floor(container.clientWidth), 260);
    drawing = undefined;
    chosenPoint = undefined;
    legend = [];
    const { isEmpty, text, drawn } = time === undefined ? bars(chosen) : times(time, chosen);
    summary.textContent = [cutText, text, omittedText(rows, columns, chosen)]
      .filter((part) => part !== '')
      .join(' ');
    container.hidden = isEmpty;
    reader.hidden = isEmpty || time === undefined;
    container.replaceChildren(...(isEmpty ? [] : [svgOf(drawn, text)]));
    if (drawing !== undefined) container.firstElementChild?.append(cursor);
    cursor.setAttribute('visibility', 'hidden');
    if (chosenPoint !== undefined) mark(chosenPoint);
  }

  function times(column: Column, choice: ChartChoice) {
    const data = timeData(rows, columns, column, choice, computedAt);
    const isEmpty = data.lines.every((line) => line.points.every(({ length }) => length === 0));
    chosenPoint = points.read(data);
    const drawn = drawTimes(data, drawnWidth);
    if (!isEmpty) drawing = drawn;
    if (data.lines.length > 1)
      legend = data.lines.map(({ name }, at) => ({ name, isDashed: at % 2 === 1 && !data.isScattered }));
    return { isEmpty, drawn, text: isEmpty ? emptyText(choice, data.notes) : timeSummary(data, computedAt) };
  }

  function bars(choice: ChartChoice) {
    const data = barData(rows, columns, choice);
    const isEmpty =
      data.columns.length === 0 || data.bars.every(({ values }) => values.every((one) => one === undefined));
    const text = isEmpty ? emptyText(choice, data.notes) : data.notes.join(' ');
    return { isEmpty, drawn: drawBars(data, drawnWidth), text };
  }

  /** Shows which time the legend is about. */
  function mark(index: number): void {
    const x = drawing?.places[index];
    if (drawing === undefined || x === undefined) return;
    const bottom = (drawing.tops.at(-1) ?? 0) + drawing.panelHeight;
    for (const [name, value] of Object.entries({ x1: x, x2: x, y1: drawing.tops[0] ?? 0, y2: bottom }))
      cursor.setAttribute(name, String(value));
    cursor.setAttribute('visibility', 'visible');
  }

  container.addEventListener('pointermove', ({ clientX }) => {
    if (drawing === undefined) return;
    const index = nearest(drawing.places, clientX - container.getBoundingClientRect().left);
    points.showPoint(index);
    mark(index);
  });
  new ResizeObserver(() => {
    if (Math.abs(container.clientWidth - drawnWidth) > 1 && container.clientWidth > 0) draw();
  }).observe(container);

  const figure = element(
    'figure',
    { 'aria-labelledby': summary.id },
    summary,
    container,
    reader,
    element('div', { class: 'row chart-actions' }, settings.element, ...actions),
  );
  return {
    element: figure,
    show(next, requested, isCut, at) {
      rows = next;
      computedAt = at;
      cutText = isCut
        ? `The query has more rows than the ${rows.length.toLocaleString('en')} that are drawn.`
        : '';
      figure.hidden = rows.length === 0;
      chosen = knownChoice(requested, columns) ?? defaultChoice(next, columns);
      settings.write(chosen);
      draw();
    },
    picture(texts) {
      const drawn = container.querySelector('svg');
      if (drawn === null) return undefined;
      return pictureOf(drawn, { ...texts, note: summary.textContent ?? '', legend });
    },
  };
}

function svgOf(
  { width, height, shapes }: { width: number; height: number; shapes: readonly Shape[] },
  text: string,
): SVGElement {
  const label = `Chart. ${text} The table has the same values.`;
  const box = `0 0 ${width} ${height}`;
  return svgElement(
    shape('svg', { viewBox: box, width, height, role: 'img', 'aria-label': label }, ...shapes),
  );
}

/** @param places ascending */
function nearest(places: readonly number[], x: number): number {
  let [low, high] = [0, places.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (((places[middle] ?? 0) + (places[middle + 1] ?? 0)) / 2 < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

const emptyText = ({ values }: ChartChoice, notes: readonly string[]) =>
  [values.length === 0 ? 'Choose a value to draw.' : 'There is nothing to draw.', ...notes].join(' ');

function timeSummary(data: TimeData, computedAt = 0): string {
  const { times, empty, count, notes, unfinished } = data;
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const range =
    first === last
      ? `${momentText(data, first)}.`
      : `${momentText(data, first).replace(' UTC', '')} to ${momentText(data, last)}.`;
  const gaps = empty.length === 0 ? '' : `${empty.length} of ${count} times have no rows, and are shaded.`;
  const until =
    unfinished === undefined
      ? ''
      : `${momentText(data, unfinished.time)} is not over: its values are those until ${timestampText(Math.floor(computedAt) * 1e6)} UTC.`;
  return [range, gaps, until, ...notes].filter((text) => text !== '').join(' ');
}
