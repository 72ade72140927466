/** Why a text is not GoogleSQL: what was found, what was expected, and where. */
export class SyntaxProblem extends Error {
  override readonly name = 'SyntaxProblem';
  /** Offset into the text, in UTF-16 code units; the length of the text if it ended too early. */
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}
