import type { Node } from 'sql-parser-cst';

/** Thrown by a rule for what it can't translate; the translator tells it at the node's place and goes on. */
export class Unsupported extends Error {
  readonly node: Node;

  constructor(node: Node, message: string) {
    super(message);
    this.name = 'Refusal';
    this.node = node;
  }
}
