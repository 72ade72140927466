/** One part of the format of a date or time: an element such as MM, or literal text. */
export interface FormatPart {
  /** The element in capitals; undefined for text. */
  readonly element: string | undefined;
  /** As it is written; for quoted text, what is inside the quotes. */
  readonly text: string;
}

/** Longer elements first: the longest match counts. */
const elements = [
  'SSSSS MONTH Y,YYY SYYYY IYYY YYYY RRRR HH12 HH24 A.M. P.M. B.C. A.D.',
  'YYY MON DAY DDD TZH TZM FF1 FF2 FF3 FF4 FF5 FF6 FF7 FF8 FF9',
  'YY RR MM DD DY HH MI SS AM PM AD BC CC WW IW Y D Q J',
].flatMap((names) => names.split(' '));

const pattern = new RegExp(
  `(${elements.map((name) => name.replaceAll('.', '\\.')).join('|')})|"((?:[^"\\\\]|\\\\["\\\\])*)"|([-./,';: ])`,
  'iy',
);

/** @throws Error if the format has anything but elements, punctuation and quoted text */
export function parseFormat(format: string): readonly FormatPart[] {
  const parts: FormatPart[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < format.length) {
    const from = pattern.lastIndex;
    const match = pattern.exec(format);
    if (match === null) throw new Error(`Cannot find matched format element at ${from}`);
    const [, element, quoted, punctuation = ''] = match;
    if (element !== undefined) parts.push({ element: element.toUpperCase(), text: element });
    else parts.push({ element: undefined, text: quoted?.replaceAll(/\\(.)/g, '$1') ?? punctuation });
  }
  return parts;
}

type Category = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'fraction' | 'meridian' | 'zone';

const categories: readonly (readonly [RegExp, Category])[] = [
  [/^(Y|YY|YYY|YYYY|Y,YYY|RR|RRRR)$/, 'year'],
  [/^(MM|MON|MONTH)$/, 'month'],
  [/^(D|DD|DDD|DAY|DY)$/, 'day'],
  [/^HH/, 'hour'],
  [/^MI$/, 'minute'],
  [/^S/, 'second'],
  [/^FF/, 'fraction'],
  [/^(AM|PM|A\.M\.|P\.M\.)$/, 'meridian'],
  [/^TZ/, 'zone'],
];

const dates: readonly Category[] = ['year', 'month', 'day'];
const times: readonly Category[] = ['hour', 'minute', 'second', 'fraction', 'meridian'];

const categoriesOf: Readonly<Record<string, readonly Category[]>> = {
  DATE: dates,
  TIME: times,
  DATETIME: [...dates, ...times],
  TIMESTAMP: [...dates, ...times, 'zone'],
};

/** The category of an element. @throws Error if values of the type do not have it */
export function categoryOf(element: string, type: string): Category {
  const category = categories.find(([names]) => names.test(element))?.[1];
  if (category === undefined) throw new Error(`Unsupported format element '${element}'`);
  if (categoriesOf[type]?.includes(category)) return category;
  throw new Error(`${type} does not support '${element}'`);
}

export const monthNames = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

export const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
