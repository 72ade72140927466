import { maxLines } from '../data/choice.ts';
import { axisNumbers } from '../data/number-text.ts';
import { type Panel, panelsOf } from './panels.ts';
import { round, type Shape, shape, textShape, textWidth, titleText } from './shape.ts';
import { timeTicks } from './time-axis.ts';
import type { Line, TimeData } from '../data/time-data.ts';

/** A drawing of rows over time, and where its times are. */
export interface TimeDrawing {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
  readonly panels: readonly Panel[];
  /** The upper edge of each panel, and the height of all. */
  readonly tops: readonly number[];
  readonly panelHeight: number;
  /** Pixels from the left, of each time. */
  readonly places: readonly number[];
}

const singleHeight = 232;
const severalHeight = 128;
/** Of a panel's title. */
const titleHeight = 26;
const gap = 10;
const axisHeight = 36;
const right = 14;

/** Up to this number every point gets a dot; above, only points without neighbours do. */
const maxDots = 150;

export function drawTimes(data: TimeData, width: number): TimeDrawing {
  const { times } = data;
  const panels = panelsOf(data, (count) => (count === 1 ? 6 : 3));
  const panelHeight = panels.length === 1 ? singleHeight : severalHeight;
  const labels = panels.map(({ scale }) => axisNumbers(scale.ticks));
  const left = Math.max(34, ...labels.flat().map((label) => textWidth(label) + 12));
  const tops = panels.map((_, at) => titleHeight + at * (panelHeight + titleHeight + gap));
  const bottom = (tops.at(-1) ?? 0) + panelHeight;
  const place = timePlace(times, left, width - right);
  const ticks = timeTicks(data, Math.max(1, Math.floor((width - left - right) / 74)));
  const spans = [
    ...spansOf(data.empty, place, left, width - right).map((span) => ({ ...span, kind: 'empty' })),
    ...spansOf(data.unfinished ? [data.unfinished] : [], place, left, width - right).map((span) => ({
      ...span,
      kind: 'unfinished',
    })),
  ];
  const places = times.map(place);
  const shapes = [
    ...panels.flatMap(({ title, scale, lines }, at) => {
      const top = tops[at] ?? 0;
      const y = (value: number) => top + (1 - scale.at(value)) * panelHeight;
      return [
        titleText(0, top - 12, title, width),
        ...spans.map(({ from, to, kind }) =>
          shape('rect', {
            class: kind,
            x: round(from),
            y: top,
            width: round(to - from),
            height: panelHeight,
          }),
        ),
        ...scale.ticks.flatMap((tick, index) => [
          shape('line', {
            class: tick === 0 ? 'zero' : 'grid',
            x1: left,
            x2: width - right,
            y1: round(y(tick)),
            y2: round(y(tick)),
          }),
          textShape(left - 7, y(tick) + 4, labels[at]?.[index] ?? '', { 'text-anchor': 'end' }),
        ]),
        ...lines.flatMap(({ line, place: lineAt }) => lineShapes(line, lineAt, places, y, data)),
      ];
    }),
    ...ticks.flatMap(({ time, label, second }) => {
      const x = place(time);
      const widest = Math.max(textWidth(label), textWidth(second)) / 2;
      const anchor = x + widest > width ? 'end' : x - widest < 0 ? 'start' : 'middle';
      const at = anchor === 'middle' ? x : anchor === 'end' ? width : 0;
      return [
        shape('line', { class: 'tick', x1: round(x), x2: round(x), y1: bottom, y2: bottom + 5 }),
        textShape(at, bottom + 18, label, { 'text-anchor': anchor }),
        ...(second === '' ? [] : [textShape(at, bottom + 33, second, { 'text-anchor': anchor })]),
      ];
    }),
  ];
  return { width, height: bottom + axisHeight, shapes, panels, tops, panelHeight, places };
}

/** Where some buckets are, in pixels; those that are side by side are one span. */
function spansOf(
  buckets: TimeData['empty'],
  place: (time: number) => number,
  left: number,
  end: number,
): readonly { readonly from: number; readonly to: number }[] {
  const spans: { from: number; to: number }[] = [];
  for (const { time, width } of buckets) {
    const from = Math.max(place(time - width / 2), left);
    const to = Math.min(place(time + width / 2), end);
    const last = spans.at(-1);
    if (last !== undefined && from - last.to < 0.5) last.to = to;
    else spans.push({ from, to });
  }
  return spans;
}

/** Some room is left beside the first and the last time; one time alone is in the middle. */
function timePlace(times: readonly number[], left: number, end: number): (time: number) => number {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  if (first === last) return () => (left + end) / 2;
  const from = left + 10;
  return (time) => from + ((time - first) / (last - first)) * (end - 10 - from);
}

/** A line, with dots where it has no neighbour to lead to; or only dots. */
function lineShapes(
  { name, points }: Line,
  place: number,
  places: readonly number[],
  y: (value: number) => number,
  { times, isScattered }: TimeData,
): readonly Shape[] {
  const series = `series-${(place % maxLines) + 1}`;
  const at = (index: number) =>
    (points[index] ?? []).map(({ value }) => `${round(places[index] ?? 0)},${round(y(value))}`);
  const isThere = (index: number) => (points[index]?.length ?? 0) > 0;
  const hasAllDots = isScattered || times.length <= maxDots;
  let path = '';
  let dots = '';
  for (const index of drawnPlaces(points, places, isScattered)) {
    if (!isThere(index)) continue;
    const drawn = at(index);
    if (!isScattered) path += `${isThere(index - 1) ? 'L' : 'M'}${drawn[0]}`;
    if (hasAllDots || (!isThere(index - 1) && !isThere(index + 1)))
      dots += drawn.map((one) => `M${one}h0`).join('');
  }
  return [
    // Every second line is dashed, so that color is not the only difference.
    ...(path === ''
      ? []
      : [
          shape(
            'path',
            { class: `line ${series}${place % 2 === 1 ? ' dashed' : ''}`, d: path },
            shape('title', {}, name),
          ),
        ]),
    ...(dots === '' ? [] : [shape('path', { class: `dots ${series}`, d: dots }, shape('title', {}, name))]),
  ];
}

/**
 * Of more points than there are pixels, in each pixel the first, the last, the least and the greatest: the picture is the same,
 * and the browser draws it fast.
 */
function drawnPlaces(
  points: Line['points'],
  places: readonly number[],
  isScattered: boolean,
): Iterable<number> {
  const all = points.keys();
  const width = (places.at(-1) ?? 0) - (places[0] ?? 0);
  if (isScattered || points.length <= 4 * width) return all;
  const valueAt = (index: number) => points[index]?.[0]?.value;
  const kept = new Set<number>();
  for (const indexes of Map.groupBy(all, (index) => Math.floor(places[index] ?? 0)).values()) {
    const present = indexes.filter((index) => valueAt(index) !== undefined);
    // Where there are gaps, all of them are drawn.
    if (present.length < indexes.length) for (const index of indexes) kept.add(index);
    else {
      const ascending = present.toSorted((a, b) => (valueAt(a) ?? 0) - (valueAt(b) ?? 0));
      for (const index of [present[0], present.at(-1), ascending[0], ascending.at(-1)])
        if (index !== undefined) kept.add(index);
    }
  }
  return [...kept].sort((a, b) => a - b);
}
