import type { Node } from 'sql-parser-cst';

/** Thrown for syntax that can't be translated; the translator reports it at the position of the node and continues. */
export class Unsupported extends Error {
  readonly node: Node;

  constructor(node: Node, message: string) {
    super(message);
    this.name = 'Unsupported';
    this.node = node;
  }
}
