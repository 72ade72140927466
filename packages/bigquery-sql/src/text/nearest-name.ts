/** More edits than this make another name, not a misspelled one. */
const maxEdits = 3;

/** The name that a misspelled one probably means; undefined if none is similar. */
export function nearestName(
  text: string,
  names: Iterable<string>,
  most = Math.min(maxEdits, Math.ceil(text.length / 2)),
): string | undefined {
  let nearest: string | undefined;
  let least = most + 1;
  for (const name of names) {
    const edits = editDistance(text, name, least);
    if (edits < least) [nearest, least] = [name, edits];
  }
  return nearest;
}

/** Names are no longer: to compare longer texts takes time. */
const maxLength = 100;

/** The end of a message about an unknown name: the nearest known one, whatever its case, or nothing. */
export function didYouMean(text: string, names: Iterable<string>): string {
  if (text.length < 2 || text.length > maxLength) return '';
  const byLowerCase = new Map([...names].map((name) => [name.toLowerCase(), name]));
  // Among many names, a short one has many neighbors.
  const most = Math.min(maxEdits, Math.max(1, Math.floor(text.length / 3)));
  const nearest = nearestName(text.toLowerCase(), byLowerCase.keys(), most);
  const meant = nearest ?? unabbreviated(text.toLowerCase(), byLowerCase);
  return meant === undefined ? '' : `; did you mean ${byLowerCase.get(meant)}?`;
}

/** The only name that begins with an abbreviation: `parameters` for `params`. */
function unabbreviated(text: string, names: ReadonlyMap<string, string>): string | undefined {
  const stem = text.replace(/s$/, '');
  const [name, another] = stem.length < 3 ? [] : [...names.keys()].filter((one) => one.startsWith(stem));
  return another === undefined ? name : undefined;
}

/**
 * How many characters must be inserted, deleted or replaced, or exchanged with their neighbor.
 *
 * @param enough from which on the exact number does not matter: most names are dismissed after some characters
 */
function editDistance(from: string, to: string, enough: number): number {
  if (Math.abs(from.length - to.length) >= enough) return enough;
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  let twoAbove: readonly number[] = [];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let at = 1; at <= to.length; at += 1) {
      const replaced = (above[at - 1] ?? 0) + (from[row - 1] === to[at - 1] ? 0 : 1);
      const isExchanged = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      const exchanged = isExchanged ? (twoAbove[at - 2] ?? 0) + 1 : replaced;
      current.push(Math.min(replaced, exchanged, (above[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1));
    }
    // What comes next is made of these two rows.
    if (Math.min(...above) >= enough && Math.min(...current) >= enough) return enough;
    [twoAbove, above] = [above, current];
  }
  return above[to.length] ?? 0;
}
