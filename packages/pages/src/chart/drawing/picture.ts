import { maxLines } from '../data/choice.ts';
import { fitted, round, type Shape, shape, svgElement, textShape, textWidth } from './shape.ts';

export interface PictureTexts {
  /** Which endpoint it is of. */
  readonly title: string;
  /** Its parameters, and when its rows were computed. */
  readonly subtitle: string;
  /** The facts that people must know to read the chart. */
  readonly note: string;
  /** The lines' names, if there are several, with whether they are dashed. */
  readonly legend: readonly { readonly name: string; readonly isDashed: boolean }[];
}

/** The properties that a drawing has from the style sheet, and that a file must contain itself. */
const styled = [
  ...[
    'fill',
    'fill-opacity',
    'stroke',
    'stroke-width',
    'stroke-dasharray',
    'stroke-linecap',
    'stroke-linejoin',
  ],
  ...['font-size', 'font-weight', 'font-style'],
];

const margin = 16;

/** A drawing as a file of its own, in the colors of the page: with its title, its legend and what is not drawn. */
export function pictureOf(drawn: SVGElement, { title, subtitle, note, legend }: PictureTexts): string {
  const { width, height } = drawn.getBoundingClientRect();
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.body);
  const entries = placeEntries(legend, width);
  const notes = [...linesOf(subtitle, width), ...linesOf(note, width)];
  const legendTop = 34;
  const top = legendTop + entries.height;
  const bottom = top + height + 8;
  const whole = { width: width + 2 * margin, height: bottom + notes.length * 16 + 2 * margin };
  const made = svgElement(
    shape(
      'svg',
      {
        ...whole,
        viewBox: `0 0 ${whole.width} ${whole.height}`,
        'font-family': fontFamily,
        'font-size': 12,
        fill: color,
      },
      shape('title', {}, title),
      shape('rect', { ...whole, fill: backgroundColor }),
      shape(
        'g',
        { transform: `translate(${margin} ${margin})` },
        textShape(0, 16, fitted(title, width), { 'font-size': 16, 'font-weight': 600 }),
        ...entries.shapes(legendTop, colorOf),
        ...notes.map((line, at) => textShape(0, bottom + 14 + at * 16, line)),
      ),
    ),
  );
  const copy = copyWithStyles(drawn);
  copy.setAttribute('transform', `translate(${margin} ${margin + top})`);
  made.append(copy);
  return new XMLSerializer().serializeToString(made);
}

/** The color of a line, as the style sheet has it now. */
function colorOf(place: number): string {
  const probe = document.createElement('span');
  probe.className = `series-${(place % maxLines) + 1}`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** As a group, without the line that follows the pointer. */
function copyWithStyles(drawn: Element): SVGElement {
  const group = svgElement(shape('g'));
  for (const child of drawn.children) {
    if (child.matches('.cursor')) continue;
    const copy = child.cloneNode(true) as SVGElement;
    const pairs = [
      [child, copy] as const,
      ...[...child.querySelectorAll('*')].map((one, at) => [one, copy.querySelectorAll('*')[at]] as const),
    ];
    for (const [from, to] of pairs) {
      if (to === undefined || from.localName === 'title') continue;
      const styles = getComputedStyle(from);
      for (const name of styled) to.setAttribute(name, styles.getPropertyValue(name));
      to.removeAttribute('class');
    }
    group.append(copy);
  }
  return group;
}

/** The entries of a legend in rows. */
function placeEntries(legend: PictureTexts['legend'], width: number) {
  const rowHeight = 18;
  let [x, row] = [0, 0];
  const placed = legend.map(({ name, isDashed }, place) => {
    const text = fitted(name, width - 34);
    const own = 34 + textWidth(text) + 16;
    if (x > 0 && x + own > width) [x, row] = [0, row + 1];
    const entry = { text, isDashed, place, x, row };
    x += own;
    return entry;
  });
  return {
    height: legend.length === 0 ? 0 : (row + 1) * rowHeight + 4,
    shapes: (top: number, colorAt: (place: number) => string): readonly Shape[] =>
      placed.flatMap(({ text, isDashed, place, x: left, row: at }) => {
        const y = top + at * rowHeight;
        return [
          shape('line', {
            x1: round(left),
            x2: round(left + 26),
            y1: y,
            y2: y,
            stroke: colorAt(place),
            'stroke-width': 3,
            'stroke-dasharray': isDashed ? '7 3' : undefined,
          }),
          textShape(left + 32, y + 4, text),
        ];
      }),
  };
}

/** A text in lines that have room. */
function linesOf(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((one) => one !== '')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && textWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(fitted(word, width));
  }
  return lines;
}

/** The pixels of a picture, two for each of the screen's. @throws Error if the browser cannot draw it */
export async function pixelsOf(picture: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([picture], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth * 2, image.naturalHeight * 2];
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob === null) throw new Error('The browser cannot make a picture of this size.');
    return blob;
  } finally {
    URL.revokeObjectURL(url);
  }
}
