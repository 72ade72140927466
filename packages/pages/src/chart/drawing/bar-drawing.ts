import type { BarData } from '../data/bar-data.ts';
import { readableNumber } from '../data/number-text.ts';
import { axisTitle } from './panels.ts';
import { boldRatio, fittedText, round, type Shape, shape, textShape, textWidth, titleText } from './shape.ts';

/** A drawing of bars: for each column beside each other, or below each other where there is no room. */
export interface BarDrawing {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
}

/** Columns whose largest values differ by more have their own axes: the numbers are beside the bars. */
const maxBarRatio = 10;

const barHeight = 20;
const rowHeight = 28;
const titleHeight = 26;
const gap = 24;
/** A panel with less room is put below the others. */
const leastWidth = 180;

export function drawBars(data: BarData, width: number): BarDrawing {
  const { bars, columns } = data;
  const widest = Math.max(0, ...bars.map(({ name }) => textWidth(name)));
  // On a phone names are above their bars.
  const isNarrow = width < 520 && widest > width * 0.3;
  // The names of the columns are above those of the bars, which may be much shorter.
  const titleWidth = Math.min(textWidth(data.title) * boldRatio, width * 0.25);
  const nameWidth = isNarrow ? 0 : Math.min(Math.max(widest, titleWidth), width * 0.4) + 10;
  const room = width - nameWidth;
  const beside = Math.max(1, Math.min(columns.length, Math.floor((room + gap) / (leastWidth + gap))));
  const panelWidth = (room - (beside - 1) * gap) / beside;
  const step = isNarrow ? rowHeight + 16 : rowHeight;
  const groupHeight = titleHeight + bars.length * step + 8;
  const ranges = rangesOf(data);
  const shapes = columns.flatMap((column, at) => {
    const left = nameWidth + (at % beside) * (panelWidth + gap);
    const top = Math.floor(at / beside) * groupHeight;
    const labels = bars.map(({ values }) => {
      const value = values[at];
      return value === undefined ? 'NULL' : readableNumber(value.value);
    });
    // Numbers are written beside the bars, which leave room for them: on both sides if some are negative.
    const labelWidth = Math.max(0, ...labels.map(textWidth)) + 10;
    const { low, high } = ranges[at] ?? { low: 0, high: 1 };
    const before = low < 0 ? labelWidth : 0;
    const barWidth = Math.max(panelWidth - before - labelWidth, 20);
    const x = (value: number) => left + before + ((value - low) / (high - low)) * barWidth;
    const zero = x(0);
    const isFirst = at % beside === 0;
    return [
      titleText(left, top + 14, axisTitle([column], data.summed, false), panelWidth),
      ...(isFirst && nameWidth > 0 ? [titleText(0, top + 14, data.title, nameWidth - 10)] : []),
      ...bars.flatMap(({ name, values }, index) => {
        const y = top + titleHeight + index * step + (isNarrow ? 16 : 0);
        const value = values[at];
        const end = value === undefined ? zero : x(value.value);
        const isNegative = (value?.value ?? 0) < 0;
        const label = labels[index] ?? '';
        return [
          ...(isNarrow
            ? [fittedText(left, y - 4, name, panelWidth)]
            : isFirst
              ? [fittedText(0, y + 15, name, nameWidth - 10)]
              : []),
          ...(value === undefined
            ? []
            : [
                shape(
                  'rect',
                  {
                    class: 'bar series-1',
                    x: round(Math.min(zero, end)),
                    y,
                    width: round(Math.abs(end - zero)),
                    height: barHeight,
                  },
                  shape('title', {}, `${name} ${column.name}: ${value.text}`),
                ),
              ]),
          textShape(isNegative ? end - 5 : end + 5, y + 15, label, {
            class: value === undefined ? 'no-value' : undefined,
            'text-anchor': isNegative ? 'end' : undefined,
          }),
        ];
      }),
      ...zeroLines(bars.length, isNarrow, step, top + titleHeight).map(([from, to]) =>
        shape('line', { class: 'zero', x1: round(zero), x2: round(zero), y1: from, y2: to }),
      ),
    ];
  });
  return { width, height: Math.ceil(columns.length / beside) * groupHeight, shapes };
}

/** From where to where: through all bars, or beside each bar if names are between them. */
function zeroLines(
  bars: number,
  isNarrow: boolean,
  step: number,
  top: number,
): readonly (readonly [number, number])[] {
  if (!isNarrow) return [[top - 4, top + bars * step - 4]];
  return Array.from(
    { length: bars },
    (_, at) => [top + at * step + 16, top + at * step + 16 + barHeight] as const,
  );
}

/** Columns of one unit and of similar sizes have the same range, which includes zero. */
function rangesOf({ columns, bars }: BarData): readonly { readonly low: number; readonly high: number }[] {
  const valuesOf = columns.map((_, at) => bars.flatMap(({ values }) => values[at]?.value ?? []));
  const sizes = valuesOf.map((values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0));
  return columns.map((column, at) => {
    const alike = valuesOf.filter((_, other) => {
      const [a = 0, b = 0] = [sizes[at], sizes[other]];
      const isSimilar = a === b || (Math.min(a, b) > 0 && Math.max(a, b) / Math.min(a, b) <= maxBarRatio);
      return columns[other]?.unit === column.unit && isSimilar;
    });
    let [low, high] = [0, 0];
    for (const value of alike.flat()) [low, high] = [Math.min(low, value), Math.max(high, value)];
    return { low, high: low === high ? 1 : high };
  });
}
