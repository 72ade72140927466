/** More edits than this make another name, not a misspelled one. */
const maxEdits = 3;

/** The name that a misspelled one probably means; undefined if none is similar. */
export function nearestName(text: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Math.min(maxEdits, Math.ceil(text.length / 2)) + 1;
  for (const name of names) {
    const edits = editDistance(text, name);
    if (edits < least) [nearest, least] = [name, edits];
  }
  return nearest;
}

/** Levenshtein's distance: how many characters must be inserted, deleted or replaced. */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let at = 1; at <= to.length; at += 1) {
      const replaced = (above[at - 1] ?? 0) + (from[row - 1] === to[at - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[to.length] ?? 0;
}
