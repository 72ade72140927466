import { round, shape, svgElement, textShape } from '../chart/drawing/shape.ts';
import { element, section } from '../element.ts';
import type { DayCosts, Gateway } from '../gateway.ts';
import { bytesText, durationText } from '../words.ts';

const width = 640;
const height = 120;
const below = 20;

/** The costs of an endpoint by day; the section stays hidden where nothing is billed. */
export function buildCostSection(gateway: Gateway, endpoint: string): HTMLElement {
  const place = section('costs', 'Cost a day');
  place.hidden = true;
  void gateway.costs(endpoint).then((costs) => {
    const isBytes = costs.days.some(({ bytesBilled }) => bytesBilled > 0);
    const billOf = ({ bytesBilled, slotMs }: DayCosts['days'][number]) => (isBytes ? bytesBilled : slotMs);
    const most = Math.max(0, ...costs.days.map(billOf));
    if (most === 0) return;
    const textOf = (value: number) => (isBytes ? bytesText(value) : `${durationText(value / 1000)} of slots`);
    const sum = costs.days.reduce((total, day) => total + billOf(day), 0);
    const [first, last] = [costs.days[0]?.day ?? '', costs.days.at(-1)?.day ?? ''];
    const line = `Billed to ${costs.of} from ${first} to ${last}: ${textOf(sum)}, at most ${textOf(most)} a day.`;
    const step = width / costs.days.length;
    const bars = costs.days.map((day, at) => {
      const size = (billOf(day) / most) * height;
      const box = {
        x: round(at * step),
        y: round(height - size),
        width: round(step * 0.8),
        height: round(size),
      };
      const title = `${day.day}: ${textOf(billOf(day))}, ${day.runs.toLocaleString('en')} ${day.runs === 1 ? 'run' : 'runs'}`;
      return shape('rect', { ...box, class: 'cost' }, shape('title', {}, title));
    });
    const days = [
      textShape(0, height + below * 0.75, first, { class: 'cost-day' }),
      textShape(width, height + below * 0.75, last, { 'text-anchor': 'end', class: 'cost-day' }),
    ];
    const box = `0 0 ${width} ${height + below}`;
    place.append(
      element('p', { class: 'muted' }, line),
      svgElement(
        shape('svg', { viewBox: box, class: 'costs', role: 'img', 'aria-label': line }, ...bars, ...days),
      ),
    );
    place.hidden = false;
  });
  return place;
}
