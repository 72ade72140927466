import { element } from '../element.ts';
import type { Column } from '../endpoint.ts';
import { codeOf, hiddenCharacter } from '../hidden-characters.ts';
import { type Json, jsonText } from '../json.ts';
import { timestampText } from '../timestamp.ts';

const isNumeric = ({ type, repeated }: Column) =>
  !repeated && (type === 'integer' || type === 'float' || type === 'numeric');

export const alignment = (column: Column): string | undefined => (isNumeric(column) ? 'number' : undefined);

/** Text longer than this is opened on demand. */
const maxShownLength = 240;

/** Of texts that have no place for a line break. */
const timeTypes = new Set(['date', 'datetime', 'time']);

/** A value as a cell shows it. */
export function cellContent(value: Json | undefined, column: Column): Node {
  const { type, repeated } = column;
  if (value === undefined) return element('span', { class: 'null' }, 'NULL');
  if (type === 'timestamp' && !repeated && (typeof value === 'number' || typeof value === 'bigint')) {
    return element('span', { class: 'nowrap' }, timestampText(value));
  }
  if (value !== null && typeof value === 'object') return nested(value);
  const text = String(value);
  // A time in three lines cannot be read.
  if (!repeated && timeTypes.has(type)) return element('span', { class: 'nowrap' }, text.replace('T', ' '));
  if (isNumeric(column)) return numberCell(text, column);
  if (text === '') return element('span', { class: 'null' }, 'empty text');
  return text.length > maxShownLength ? longText(text) : visibleText(text);
}

/** Rounded and with separators for reading; all digits are shown when people point at it, and are in the downloads. */
function numberCell(text: string, column: Column): Node {
  const shown = cellNumber(text, column);
  return element('span', { class: 'text', title: shown === text ? undefined : text }, shown);
}

/** Numbers that are names: separators would make them hard to compare. */
const isIdentifier = ({ name }: Column) => /(?:^|_)(?:id|code|number|port|zip|year|key)$/i.test(name);

function cellNumber(text: string, column: Column): string {
  const { type } = column;
  if (type === 'float') {
    const value = Number(text);
    if (!Number.isFinite(value) || (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-4)))
      return text;
    return (Math.abs(value) < 1000 ? fractions : amounts).format(value);
  }
  const {
    sign = '',
    whole = '',
    fraction = '',
  } = /^(?<sign>-?)(?<whole>\d+)(?<fraction>\.\d+)?$/.exec(text)?.groups ?? {};
  if (whole.length < 4 || isIdentifier(column)) return text;
  return `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}${fraction}`;
}

const fractions = new Intl.NumberFormat('en', { maximumSignificantDigits: 5 });
const amounts = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** Arrow keys scroll what does not fit. */
const scrollable = { tabindex: 0, role: 'group', 'aria-label': 'Whole value' };

function nested(value: Json): Node {
  const isArray = Array.isArray(value);
  const size = Object.keys(value as object).length;
  const flat = isArray && size <= 8 && (value as readonly Json[]).every((item) => typeof item !== 'object');
  if (flat) {
    const text = `[${(value as readonly Json[]).map((item) => jsonText(item)).join(', ')}]`;
    if (text.length <= maxShownLength) return visibleText(text);
  }
  const unit = isArray ? (size === 1 ? 'item' : 'items') : size === 1 ? 'field' : 'fields';
  return opened(`${size} ${unit}`, () => element('pre', scrollable, visibleText(jsonText(value))));
}

const longText = (text: string): Node =>
  opened(visibleText(`${text.slice(0, maxShownLength)}…`), () =>
    element('div', { class: 'whole', ...scrollable }, visibleText(text)),
  );

/** A summary whose content is made when it is first opened: a page has thousands. */
function opened(summary: Node | string, content: () => Node): Node {
  const details = element('details', {}, element('summary', {}, summary));
  details.addEventListener('toggle', () => details.append(content()), { once: true });
  return details;
}

/** Longer text is not squeezed into a narrow column. */
const maxNarrowLength = 40;

/** The direction of each text is its own. */
function visibleText(text: string): Node {
  const isLong = text.length > maxNarrowLength;
  // A word in several lines, as an id of one, cannot be read.
  const shape = isLong ? 'text long' : /\s/.test(text) ? 'text' : 'text nowrap';
  const made = element('span', { dir: 'auto', class: shape });
  let from = 0;
  for (const { index, 0: character } of text.matchAll(hiddenCharacter)) {
    made.append(text.slice(from, index), element('span', { class: 'code' }, codeOf(character)));
    from = index + character.length;
  }
  made.append(text.slice(from));
  return made;
}
