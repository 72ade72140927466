/** A line of a text, and the offset at which it begins. */
interface Line {
  readonly line: number;
  readonly lineStart: number;
}

/** Gives the line of each place of a text, in their order: the text is read once. @param first the number of its first line */
export function linesInOrder(text: string, first: number): (offset: number) => Line {
  let [line, lineStart, next] = [first, 0, text.indexOf('\n')];
  return (offset) => {
    while (next >= 0 && next < offset) {
      line += 1;
      lineStart = next + 1;
      next = text.indexOf('\n', lineStart);
    }
    return { line, lineStart };
  };
}
