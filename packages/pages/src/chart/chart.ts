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
  /** The drawing as a file of SVG; undefined if nothing is drawn. */
  picture(texts: Pick<PictureTexts, 'title' | 'subtitle'>): string | undefined;
}

interface ChartOptions {
  readonly columns: readonly Column[];
  readonly onChoice: (choice: ChartChoice) => void;
  /** The elements below the drawing, beside the settings. */
  readonly actions: readonly HTMLElement[];
}

/** @returns undefined if the columns have no numbers, or nothing that names them: a time or a text */
export function buildChart({ columns, onChoice, actions }: ChartOptions): Chart | undefined {
  const time = timeColumnOf(columns);
  const numbers = numberColumnsOf(columns);
  const isNamed =
    time !== undefined || nameColumnsOf(columns).some((column) => numbers.some((one) => one !== column));
  if (numbers.length === 0 || !isNamed) return undefined;
  let given: ChartRows = { rows: [], columns, computedAt: undefined };
  let cutText = '';
  let chosen: ChartChoice | undefined;
  let drawnWidth = 0;
  let legend: PictureTexts['legend'] = [];

  const settings = buildChartSettings(columns, (choice) => {
    chosen = choice;
    onChoice(choice);
    draw();
  });
  const cursor = buildCursor();
  const points = buildPointReader(cursor.mark);
  const reader = element('div', {}, ...points.elements);
  const summary = element('p', { id: 'chart-summary', class: 'muted' });
  const container = element('div', { class: 'plot' });

  function draw(): void {
    if (chosen === undefined) return;
    drawnWidth = Math.max(Math.floor(container.clientWidth), 260);
    const drawn =
      time === undefined ? drawnBars(given, chosen, drawnWidth) : drawnTimes(given, time, chosen, drawnWidth);
    const { isEmpty, text, data, times } = drawn;
    legend = drawn.legend;
    summary.textContent = [cutText, text, omittedText(given.rows, columns, chosen)]
      .filter((part) => part !== '')
      .join(' ');
    container.hidden = isEmpty;
    reader.hidden = isEmpty || time === undefined;
    container.replaceChildren(...(isEmpty ? [] : [svgOf(drawn.shown, text)]));
    cursor.put(times, container.firstElementChild);
    const point = data && points.read(data);
    if (point !== undefined) cursor.mark(point);
  }

  container.addEventListener('pointermove', ({ clientX }) => {
    const index = cursor.nearest(clientX - container.getBoundingClientRect().left);
    if (index === undefined) return;
    points.showPoint(index);
    cursor.mark(index);
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
      given = { rows: next, columns, computedAt: at };
      cutText = isCut
        ? `The query has more rows than the ${next.length.toLocaleString('en')} that are drawn.`
        : '';
      figure.hidden = next.length === 0;
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

interface ChartRows {
  readonly rows: readonly JsonObject[];
  readonly columns: readonly Column[];
  readonly computedAt: number | undefined;
}

/** A drawing of rows, with its texts. */
interface Drawn {
  readonly isEmpty: boolean;
  readonly text: string;
  readonly shown: { readonly width: number; readonly height: number; readonly shapes: readonly Shape[] };
  readonly legend: PictureTexts['legend'];
  /** Where people can point at a time: undefined without one, or if nothing is drawn. */
  readonly times?: TimeDrawing | undefined;
  readonly data?: TimeData;
}

function drawnTimes(
  { rows, columns, computedAt }: ChartRows,
  column: Column,
  choice: ChartChoice,
  width: number,
): Drawn {
  const data = timeData(rows, columns, column, choice, computedAt);
  const { lines, notes, isScattered } = data;
  const isEmpty = lines.every((line) => line.points.every(({ length }) => length === 0));
  const shown = drawTimes(data, width);
  const legend = lines.map(({ name }, at) => ({ name, isDashed: at % 2 === 1 && !isScattered }));
  return {
    ...{ isEmpty, shown, data },
    text: isEmpty ? emptyText(choice, notes) : timeSummary(data, computedAt),
    legend: lines.length > 1 ? legend : [],
    times: isEmpty ? undefined : shown,
  };
}

function drawnBars({ rows, columns }: ChartRows, choice: ChartChoice, width: number): Drawn {
  const data = barData(rows, columns, choice);
  const isEmpty =
    data.columns.length === 0 || data.bars.every(({ values }) => values.every((one) => one === undefined));
  const text = isEmpty ? emptyText(choice, data.notes) : data.notes.join(' ');
  return { isEmpty, text, shown: drawBars(data, width), legend: [] };
}

/** A line in the drawing at the time that the legend is about. */
function buildCursor() {
  const line = svgElement(shape('line', { class: 'cursor' }));
  let drawing: TimeDrawing | undefined;
  return {
    /** @param picture what is drawn now */
    put(next: TimeDrawing | undefined, picture: Element | null): void {
      drawing = next;
      if (drawing !== undefined) picture?.append(line);
      line.setAttribute('visibility', 'hidden');
    },
    nearest: (x: number): number | undefined => drawing && nearest(drawing.places, x),
    mark(index: number): void {
      const x = drawing?.places[index];
      if (drawing === undefined || x === undefined) return;
      const bottom = (drawing.tops.at(-1) ?? 0) + drawing.panelHeight;
      for (const [name, value] of Object.entries({ x1: x, x2: x, y1: drawing.tops[0] ?? 0, y2: bottom }))
        line.setAttribute(name, String(value));
      line.setAttribute('visibility', 'visible');
    },
  };
}

function svgOf({ width, height, shapes }: Drawn['shown'], text: string): SVGElement {
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
