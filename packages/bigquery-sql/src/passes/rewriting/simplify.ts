import { boolLiteral, nullLiteral, operation } from '../../tree/build.ts';
import type { Case, Expression, Literal, Operation } from '../../tree/nodes.ts';
import { isScalar, sameName } from '../../types.ts';

/** An expression whose parts are simplified already, in a shorter form of the same value. */
export function simplify(node: Expression): Expression {
  switch (node.kind) {
    case 'field':
      return memberOf(node.of, node.name) ?? node;
    case 'operation':
      return simplifyOperation(node);
    case 'case':
      return simplifyCase(node);
    case 'call':
      return node.function === 'coalesce' ? simplifyCoalesce(node.args, node) : node;
    default:
      return node;
  }
}

/** The value of a field, where the struct is built in the query itself. */
function memberOf(of: Expression, name: string): Expression | undefined {
  if (of.kind !== 'struct' && !(of.kind === 'record' && !of.repeated)) return undefined;
  return of.fields.find((member) => sameName(member.name, name))?.value;
}

function simplifyOperation(node: Operation): Expression {
  const [first, second] = node.operands;
  if (!first) return node;
  switch (node.operator) {
    case '=':
    case '<>': {
      const equal = second && compareTexts(first, second);
      return equal === undefined ? node : boolLiteral(equal === (node.operator === '='));
    }
    case 'IS NULL':
      return absence(first) ?? node;
    case 'IS NOT NULL':
      return presence(first) ?? node;
    case 'NOT':
      return isBool(first) ? boolLiteral(!first.value) : node;
    case 'AND':
      return simplifyJunction(node, false);
    case 'OR':
      return simplifyJunction(node, true);
    default:
      return node;
  }
}

const isBool = (node: Expression): node is Literal & { readonly value: boolean } =>
  node.kind === 'literal' && typeof node.value === 'boolean';

const isNullLiteral = (node: Expression): boolean => node.kind === 'literal' && node.value === null;

/** True if two literal texts are equal; undefined unless both are literals. */
function compareTexts(left: Expression, right: Expression): boolean | undefined {
  const isText = (node: Expression): node is Literal =>
    node.kind === 'literal' && isScalar(node.type, 'STRING') && node.value !== null;
  return isText(left) && isText(right) ? left.value === right.value : undefined;
}

function absence(value: Expression): Expression | undefined {
  if (value.kind === 'literal') return boolLiteral(value.value === null);
  if (value.kind !== 'record') return undefined;
  return operation(value.repeated ? 'IS NULL' : 'IS NOT TRUE', [value.present]);
}

function presence(value: Expression): Expression | undefined {
  if (value.kind === 'literal') return boolLiteral(value.value !== null);
  if (value.kind !== 'record') return undefined;
  return operation(value.repeated ? 'IS NOT NULL' : 'IS TRUE', [value.present]);
}

/** AND and OR with an operand that decides them, or that changes nothing. */
function simplifyJunction(node: Operation, decides: boolean): Expression {
  if (node.operands.some((operand) => isBool(operand) && operand.value === decides))
    return boolLiteral(decides);
  const rest = node.operands.filter((operand) => !isBool(operand));
  const [only, another] = rest;
  if (!only) return boolLiteral(!decides);
  if (!another) return only;
  return rest.length === node.operands.length ? node : { ...node, operands: rest };
}

/** Leaves out branches that are never taken. */
function simplifyCase(node: Case): Expression {
  const possible = node.branches.filter(({ when }) => !(isBool(when) && !when.value) && !isNullLiteral(when));
  const taken = possible.findIndex(({ when }) => isBool(when) && when.value);
  const branches = taken < 0 ? possible : possible.slice(0, taken);
  const otherwise = taken < 0 ? node.otherwise : possible[taken]?.result;
  if (branches.length === 0) return otherwise ?? nullLiteral(node.type);
  if (branches.length === node.branches.length) return node;
  const { otherwise: _, ...rest } = node;
  return { ...rest, branches, ...(otherwise && { otherwise }) };
}

function simplifyCoalesce(args: readonly Expression[], node: Expression & { kind: 'call' }): Expression {
  const rest = args.filter((arg) => !isNullLiteral(arg));
  const [first] = rest;
  if (!first) return nullLiteral(node.type);
  if (first.kind === 'literal' || rest.length === 1) return first;
  return rest.length === args.length ? node : { ...node, args: rest };
}
