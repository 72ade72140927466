/** More edits than this make another name, not a misspelled one. */
const maxEdits = 3;

/** Steps of a comparison, a fifth of a microsecond each: names that are left after so many are not compared. */
const maxSteps = 150_000;

/** The name that a misspelled one probably means; undefined if none is similar. */
export function nearestName(
  text: string,
  names: Iterable<string>,
  most = Math.min(maxEdits, Math.ceil(text.length / 2)),
): string | undefined {
  let nearest: string | undefined;
  let least = most * edit + 1;
  const steps = { left: maxSteps };
  const letters = lettersOf(text);
  for (const name of names) {
    if (steps.left <= 0) break;
    const distance = Math.min(distanceTo(letters, name, least + 1, steps), longerBy(text, name));
    // A letter is missing more often than there is one too much.
    const isLonger = distance === least && nearest !== undefined && name.length > nearest.length;
    if (distance < least || isLonger) [nearest, least] = [name, distance];
  }
  return nearest;
}

/** The distance of a name that only goes on after the text: of several, the shortest one is the nearest. */
const longerBy = (text: string, name: string): number =>
  text.length >= 4 && name.startsWith(text)
    ? edit * 1.5 - 1 / (name.length - text.length + 1)
    : Number.POSITIVE_INFINITY;

/** No name is longer, and longer texts take long to compare. */
const maxLength = 100;

/** No more names are looked at: so many take some milliseconds, and a text may be about those of many tables. */
const maxNames = 10_000;

/** The end of a message about an unknown name: the nearest known one, whatever its case, or nothing. */
export function didYouMean(text: string, names: Iterable<string>): string {
  if (text.length < 2 || text.length > maxLength) return '';
  const byLowerCase = new Map<string, string>();
  let looked = 0;
  for (const name of names) {
    looked += 1;
    if (looked > maxNames) break;
    if (name !== text) byLowerCase.set(name.toLowerCase(), name);
  }
  // Among many names, a short one has many neighbors.
  const most = Math.min(maxEdits, Math.max(1, Math.floor(text.length / 3)));
  const nearest = nearestName(text.toLowerCase(), byLowerCase.keys(), most);
  const meant = nearest ?? unabbreviated(text.toLowerCase(), [...byLowerCase.keys()]);
  return meant === undefined ? '' : `; did you mean ${byLowerCase.get(meant)}?`;
}

/** The only name that begins with an abbreviation, `parameters` for `params`, or that is otherwise shortened to it. */
function unabbreviated(text: string, names: readonly string[]): string | undefined {
  const stem = text.replace(/s$/, '');
  const longer = stem.length < 3 ? [] : names.filter((one) => one.startsWith(stem));
  const [name, another] = longer.length > 0 ? longer : names.filter((one) => isAbbreviation(text, one));
  return another === undefined ? name : undefined;
}

/**
 * True if a text in lower case has some letters of a name, in their order, with the first one, and with all of its
 * first consonants or with its last letter: `hr` of `hourly`, `qty` of `quantity`. Digits around them do not count.
 */
export function isAbbreviation(text: string, name: string): boolean {
  const short = text.replace(/^[\d\s]+|(?<![\d\s])[\d\s]+$/g, '').replace(/(?<=..)s$/, '');
  if (short.length === 0 || short.length >= name.length || short[0] !== name[0]) return false;
  if (short.length === 1) return short !== text;
  let at = 0;
  for (const letter of name) if (letter === short[at]) at += 1;
  const [end, letters] = [name.replace(/[aeiou]+$/, '').at(-1), consonants(short)];
  const begins = letters.length > 1 && consonants(name).startsWith(letters);
  return at === short.length && (begins || end === short.at(-1));
}

const isVowel = (letter: string | undefined): boolean => letter !== undefined && 'aeiou'.includes(letter);
const isSeparator = (letter: string | undefined): boolean => letter !== undefined && '_-. '.includes(letter);
const consonants = (text: string): string => text.replace(/[aeiou_\-. ]/g, '').replace(/(.)\1+/g, '$1');

/** The distance of one letter too much, missing or wrong; smaller ones are of mistakes that are made more often. */
const edit = 4;

/** The cost of a letter that is too much. */
function extra(letter: string | undefined, before: string | undefined): number {
  if (isSeparator(letter)) return 1;
  return letter === before ? 2 : edit;
}

/** The cost of a letter that is another one in the other text. */
function replaced(one: string, other: string): number {
  if (isSeparator(one) && isSeparator(other)) return 1;
  const [isLikeVowel, isOtherLikeVowel] = [one === 'y' || isVowel(one), other === 'y' || isVowel(other)];
  if (isLikeVowel !== isOtherLikeVowel) return edit + 1;
  return isLikeVowel ? edit - 1 : edit;
}

/** Letters that cost the same where they are replaced, each kind with one of its letters: the last one has all others. */
const kinds = ['a', '_', 'b'];

const kindOf = (letter: string): number => {
  if (letter === 'y' || isVowel(letter)) return 0;
  return isSeparator(letter) ? 1 : 2;
};

/** `replaced` for two kinds of letters. */
const replacements: readonly (readonly number[])[] = kinds.map((one) =>
  kinds.map((other) => replaced(one, other)),
);

/** A text as many comparisons need it: for each letter its code, its kind, and what it costs if it is too much or missing. */
interface Letters {
  readonly codes: readonly number[];
  readonly kinds: readonly number[];
  readonly extra: readonly number[];
  readonly missing: readonly number[];
}

function lettersOf(text: string): Letters {
  const letters = text.split('');
  const costs = letters.map((letter, at) => extra(letter, letters[at - 1]));
  return {
    codes: letters.map((letter) => letter.charCodeAt(0)),
    kinds: letters.map(kindOf),
    extra: costs,
    // A vowel may be left out on purpose.
    missing: costs.map((cost, at) => (isVowel(letters[at]) ? 2 : cost)),
  };
}

/**
 * How far texts are from each other by letters that are inserted, deleted or replaced, or exchanged with their neighbor.
 *
 * @param enough from which on the exact distance does not matter: most names are dismissed after some letters
 * @param steps counts those that it takes
 */
function distanceTo(from: Letters, name: string, enough: number, steps: { left: number }): number {
  // A separator, which costs least, is beside a letter.
  if (Math.abs(from.codes.length - name.length) * 1.5 - 1 >= enough) return enough;
  const to = lettersOf(name);
  const width = name.length + 1;
  let [twoAbove, above, current] = [new Int32Array(width), new Int32Array(width), new Int32Array(width)];
  for (let at = 1; at < width; at += 1) above[at] = (above[at - 1] ?? 0) + (to.missing[at - 1] ?? 0);
  let leastAbove = 0;
  for (let row = 1; row <= from.codes.length; row += 1) {
    steps.left -= name.length;
    const least = fillRow(current, { from, to, row, above, twoAbove });
    // All further rows are computed from these two.
    if (leastAbove >= enough && least >= enough) return enough;
    leastAbove = least;
    [twoAbove, above, current] = [above, current, twoAbove];
  }
  return Math.min(above[name.length] ?? 0, enough);
}

interface Row {
  readonly from: Letters;
  readonly to: Letters;
  /** How many letters of `from` it is about. */
  readonly row: number;
  readonly above: Int32Array;
  readonly twoAbove: Int32Array;
}

/**
 * Fills a row with the distances of the first letters of a text from each number of first letters of another one.
 *
 * @returns the least of them
 */
function fillRow(current: Int32Array, { from, to, row, above, twoAbove }: Row): number {
  const [letter, before] = [from.codes[row - 1], from.codes[row - 2]];
  const [tooMuch, replacing] = [from.extra[row - 1] ?? 0, replacements[from.kinds[row - 1] ?? 0] ?? []];
  let left = (above[0] ?? 0) + tooMuch;
  let least = left;
  current[0] = left;
  for (let at = 1; at < current.length; at += 1) {
    const own = to.codes[at - 1];
    const other = letter === own ? 0 : (replacing[to.kinds[at - 1] ?? 0] ?? 0);
    // The first letter is seldom wrong.
    const first = row === 1 && at === 1 && letter !== own ? 2 : 0;
    const replacedOrKept = (above[at - 1] ?? 0) + other + first;
    left = Math.min(replacedOrKept, (above[at] ?? 0) + tooMuch, left + (to.missing[at - 1] ?? 0));
    if (row > 1 && before === own && at > 1 && letter === to.codes[at - 2])
      left = Math.min(left, (twoAbove[at - 2] ?? 0) + edit - 1);
    current[at] = left;
    least = Math.min(least, left);
  }
  return least;
}
