/** A part of a drawing: an element of SVG that is not yet in a page. */
export interface Shape {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly children: readonly (Shape | string)[];
}

export const shape = (
  name: string,
  attributes: Shape['attributes'] = {},
  ...children: readonly (Shape | string)[]
): Shape => ({ name, attributes, children });

/** A text without markup, whose direction is its own. */
export const textShape = (
  x: number,
  y: number,
  text: string,
  attributes: Shape['attributes'] = {},
  ...more: readonly Shape[]
): Shape => shape('text', { x: round(x), y: round(y), ...attributes }, text, ...more);

/** Hundredths of a pixel cannot be seen. */
export const round = (value: number): number => Math.round(value * 100) / 100;

const namespace = 'http://www.w3.org/2000/svg';

export function svgElement({ name, attributes, children }: Shape): SVGElement {
  const made = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) made.setAttribute(key, String(value));
  made.append(...children.map((child) => (typeof child === 'string' ? child : svgElement(child))));
  return made;
}

/** About how wide a text is, in pixels, at the size of a chart's texts. */
export const textWidth = (text: string): number =>
  [...text].reduce((width, character) => width + (/[\u1100-\uffff]/.test(character) ? 12 : 6.6), 0);

/** The start of a text that has room in a width. */
export function fitted(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let fit = '';
  for (const character of text) {
    if (textWidth(`${fit}${character}…`) > width) break;
    fit += character;
  }
  return `${fit}…`;
}

/** A text that is cut to a width; the whole of it is shown when people point at it. */
export function fittedText(
  x: number,
  y: number,
  text: string,
  width: number,
  attributes: Shape['attributes'] = {},
): Shape {
  const shown = fitted(text, width);
  return textShape(x, y, shown, attributes, ...(shown === text ? [] : [shape('title', {}, text)]));
}

/** Bold letters are about a fifth wider. */
export const boldRatio = 1.2;

/** The title of an axis, in bold letters. */
export const titleText = (x: number, y: number, title: string, width: number): Shape =>
  fittedText(x, y, title, width / boldRatio, { class: 'axis-title' });
