import type * as Syntax from '../dialect/syntax/nodes.ts';
import { skip, walk } from '../dialect/syntax/walk.ts';

/** A literal that could be a parameter. */
export interface LiteralProposal {
  /** The offset of the literal in the SQL. */
  readonly start: number;
  /** As it is written. */
  readonly text: string;
  readonly kind: 'date' | 'id' | 'interval';
  /** What could be written instead. */
  readonly instead: string;
}

const moment = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/;
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** Names of columns that identify something. */
const idColumn = /(?:^|_)(?:id|ids|uuid|guid|key|ref|slug|project|tenant|account|customer|user|org)$/i;

/** Dates, ids and intervals that a caller may prefer to choose, in the order of the text. */
export function literalProposals(sql: string, statement: Syntax.Statement): readonly LiteralProposal[] {
  const proposals: LiteralProposal[] = [];
  const propose = ({ start, end }: Syntax.Located, kind: LiteralProposal['kind'], instead: string) =>
    void proposals.push({ start, text: sql.slice(start, end), kind, instead });
  walk(statement, (node, around) => {
    if (node.kind === 'TypedLiteral' && moment.test(node.value.value)) {
      const instead = momentConversions[node.type];
      if (instead !== undefined) propose(node, 'date', instead);
      return skip;
    }
    if (node.kind === 'IntervalLiteral' && node.value.kind === 'IntegerLiteral') {
      const part = node.from.name.toLowerCase();
      // The steps of a series, and constant parts of a longer expression, are rarely a choice of the caller.
      if (isWindow(around)) propose(node, 'interval', `interval cast(@${part}s as int64) ${part}`);
      return skip;
    }
    const compared = comparedColumn(node, around);
    if (compared === undefined) return undefined;
    if (node.kind === 'StringLiteral' && moment.test(node.value)) {
      propose(node, 'date', `@${compared}`);
    } else if (
      node.kind === 'StringLiteral' &&
      (uuid.test(node.value) || (idColumn.test(compared) && node.value !== ''))
    ) {
      propose(node, 'id', `@${compared}`);
    } else if (node.kind === 'IntegerLiteral' && idColumn.test(compared)) {
      propose(node, 'id', `cast(@${compared} as int64)`);
    }
    return undefined;
  });
  return proposals;
}

const momentConversions: Readonly<Partial<Record<Syntax.LiteralType, string>>> = {
  TIMESTAMP: 'timestamp(@since)',
  DATETIME: 'cast(@since as datetime)',
  DATE: 'cast(@day as date)',
};

/** The name of the column with which a literal is compared. */
function comparedColumn(node: Syntax.Node, around: readonly Syntax.Node[]): string | undefined {
  const parent = around.at(-1);
  const owner = around.at(-2);
  const others =
    parent?.kind === 'Comparison'
      ? [parent.left, parent.right]
      : parent?.kind === 'Between'
        ? [parent.operand]
        : parent?.kind === 'ExpressionList' && owner?.kind === 'In'
          ? [owner.operand]
          : [];
  const column = others.find((other) => other !== node && other.kind === 'Path');
  return column?.kind === 'Path' ? column.parts.at(-1)?.name : undefined;
}

/** Whether an interval is the distance of a bound from now: an argument of `…_SUB` or `…_ADD`, or of a plain - or +. */
function isWindow(around: readonly Syntax.Node[]): boolean {
  const parent = around.at(-1);
  if (parent?.kind === 'Binary') return true;
  if (parent?.kind !== 'FunctionCall') return false;
  return /_(?:sub|add)$/i.test(parent.name.parts.at(-1)?.name ?? '');
}
