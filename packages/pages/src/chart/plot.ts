import type uPlot from 'uplot';
import type { ChartData } from './chart-data.ts';
import { axisNumbers } from './number-text.ts';

/** A drawn chart. */
export interface Plot {
  /** Marks the point at this place of the data. */
  mark(index: number): void;
  close(): void;
}

interface PlotOptions {
  readonly container: HTMLElement;
  readonly data: ChartData;
  /** A text for each axis with numbers: what has the unit. */
  readonly axisLabel: (unit: string) => string;
  /** The color of a line, as the style sheet has it now. */
  readonly colorOf: (series: number) => string;
  readonly onPoint: (index: number) => void;
}

const height = 280;

/** Of a day, in pixels, with some room beside it. */
const timeLabelWidth = 80;

/** Up to this number every point gets a dot; above, only points between gaps do. */
const maxDots = 150;

let library: Promise<typeof uPlot> | undefined;

/** The chart library, which the list of endpoints does not need. It is beside the one file of these modules. */
export function loadLibrary(): Promise<typeof uPlot> {
  library ??= import(new URL('uplot.js', import.meta.url).href).then(
    (module: { default: typeof uPlot }) => module.default,
    () => {
      library = undefined;
      throw new Error('Its library could not be loaded: load the page again.');
    },
  );
  return library;
}

export async function drawPlot(options: PlotOptions): Promise<Plot> {
  const { container, data, axisLabel, colorOf, onPoint } = options;
  const UPlot = await loadLibrary();
  const units = [...new Set(data.series.map(({ unit }) => unit))];
  const text = () => getComputedStyle(container).color;
  const grid = () => getComputedStyle(container).borderTopColor;
  const ticks = { stroke: grid, width: 1 };
  const hasDots = data.times.length <= maxDots;
  const plot = new UPlot(
    {
      width: Math.max(container.clientWidth, 200),
      height,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { size: 8 } },
      // Ticks at whole hours and days of UTC.
      tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: {
        x: { range: (_plot, first, last) => rangeOfTime(data.times, first, last) },
        ...Object.fromEntries(units.map((unit) => [scaleOf(unit), { range: rangeFromZero }])),
      },
      axes: [
        {
          stroke: text,
          grid: ticks,
          ticks,
          label: 'Time (UTC)',
          space: timeLabelWidth,
          labelSize: 24,
          values: (_plot, splits, _axis, _space, step) => timeLabels(splits, step),
        },
        ...units.map(
          (unit, at): uPlot.Axis => ({
            scale: scaleOf(unit),
            side: at === 0 ? 3 : 1,
            label: axisLabel(unit),
            labelSize: 22,
            size: 52,
            stroke: text,
            ticks,
            grid: { ...ticks, show: at === 0 },
            values: (_plot, splits) => axisNumbers(splits),
            ...(data.series.some((one) => one.unit === unit && isHuge(one.points)) && { incrs: hugeSteps }),
          }),
        ),
      ],
      series: [
        {},
        ...data.series.map(
          ({ name, unit }, at): uPlot.Series => ({
            label: name,
            scale: scaleOf(unit),
            stroke: () => colorOf(at),
            width: 2,
            spanGaps: false,
            // Every second line is dashed, so that color is not the only difference.
            ...(at % 2 === 1 && { dash: [8, 3] }),
            points: {
              show: true,
              size: 5,
              stroke: () => colorOf(at),
              fill: () => colorOf(at),
              ...(!hasDots && { filter: singlePoints }),
            },
          }),
        ),
      ],
      hooks: {
        drawClear: [(drawn) => shadeEmpty(drawn, data, getComputedStyle(container).borderBottomColor)],
        setCursor: [({ cursor: { idx } }) => idx !== null && idx !== undefined && onPoint(idx)],
      },
    },
    [[...data.times], ...data.series.map(({ points }) => points.map(drawable))],
    container,
  );
  const resized = new ResizeObserver(() => {
    const width = Math.floor(container.clientWidth);
    if (width > 0 && width !== plot.width) plot.setSize({ width, height });
  });
  resized.observe(container);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => plot.redraw(false);
  dark.addEventListener('change', redraw);
  return {
    mark(index) {
      const time = data.times[index];
      if (time !== undefined) plot.setCursor({ left: plot.valToPos(time, 'x'), top: 0 }, false);
    },
    close() {
      resized.disconnect();
      dark.removeEventListener('change', redraw);
      plot.destroy();
    },
  };
}

const scaleOf = (unit: string) => `unit ${unit}`;

/** A single point is drawn in the middle of two hours; the library would take years. */
export function rangeOfTime(
  [only, ...others]: readonly number[],
  first: number,
  last: number,
): [number, number] {
  return only === undefined || others.length > 0 ? [first, last] : [only - 3600, only + 3600];
}

/** The library's own steps end at 10^32. */
const hugeSteps = Array.from({ length: 308 }, (_, power) =>
  [1, 2, 5].map((digit) => Number(`${digit}e${power}`)),
).flat();

const isHuge = (points: readonly (number | null)[]) => points.some((point) => Math.abs(point ?? 0) > 1e30);

/** The distance between the largest drawn numbers is a number too. */
export const drawable = (point: number | null) => point && Math.min(Math.max(point, -8e307), 8e307);

/** The range of an axis, which includes zero: heights can be compared. */
function rangeFromZero(_plot: uPlot, low: number | null, high: number | null): [number, number] {
  const [least, most] = [Math.min(0, low ?? 0), Math.max(0, high ?? 0)];
  return least === most ? [0, 1] : [least * 1.1, most * 1.1];
}

/** Times of day, with the day below where it changes; days alone if the steps are days. */
function timeLabels(splits: readonly number[], step: number): string[] {
  let before = '';
  return splits.map((seconds) => {
    const [day = '', time = ''] = new Date(seconds * 1000).toISOString().split('T');
    if (step >= 86_400) return day;
    const length = step >= 60 ? 5 : step >= 1 ? 8 : 12;
    const label = day === before ? time.slice(0, length) : `${time.slice(0, length)}\n${day}`;
    before = day;
    return label;
  });
}

/** Points without a neighbour: no line leads to them. */
function singlePoints(plot: uPlot, series: number): number[] {
  const values = Array.from(plot.data[series] ?? []);
  const isThere = (at: number) => values[at] !== null && values[at] !== undefined;
  return values.flatMap((_, at) => (isThere(at) && !isThere(at - 1) && !isThere(at + 1) ? [at] : []));
}

function shadeEmpty(plot: uPlot, { empty }: ChartData, color: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = color;
  for (const { time, width } of empty) {
    const [from, to] = [time - width / 2, time + width / 2].map((edge) => plot.valToPos(edge, 'x', true));
    ctx.fillRect(from ?? 0, bbox.top, (to ?? 0) - (from ?? 0), bbox.height);
  }
  ctx.restore();
}
