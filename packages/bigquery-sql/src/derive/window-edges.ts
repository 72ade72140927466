import { isComparison, mirrored, type RowCondition } from '../analysis/row-conditions.ts';
import type { Node as SyntaxNode } from '../syntax/nodes.ts';
import { forEachPart } from '../tree/map.ts';
import type { Expression } from '../tree/nodes.ts';
import { NotDerivable } from './edit-text.ts';
import { bucketsOf } from './time-ranges.ts';
import { type Axis, readsNow, readsTime, waysFromNow, waysFromTime } from './time-steps.ts';
import { isDetermined } from './timed-relations.ts';

/** A comparison by which a row depends on the current time. */
export interface WindowEdge {
  /** From the time of the row. */
  readonly value: Expression;
  readonly operator: RowCondition['operator'];
  /** From the current time; or the array whose first or last element it is. */
  readonly edge: Expression;
  readonly end?: keyof Axis;
}

/** The place of the first node of the text that passes a test. */
export type Find = (test: (node: SyntaxNode) => boolean) => number | undefined;

/** True if a value is one of a bucket of time, made by functions that are understood. */
export const isBucket = (value: Expression): boolean =>
  waysFromTime(value)?.every((way) => bucketsOf(way)) === true;

/** All by which the rows of a query depend on the current time. */
export class WindowEdges {
  readonly found: WindowEdge[] = [];
  readonly #find: Find;

  constructor(find: Find) {
    this.#find = find;
  }

  /** The current time may only be compared with the time of a row. @throws NotDerivable */
  add(value: Expression): void {
    if (!readsNow(value)) return;
    if (value.kind === 'operation' && this.#addComparison(value.operator, value.operands)) return;
    if (value.kind === 'parameter' || value.kind === 'subquery')
      throw new NotDerivable(
        'the current time is used otherwise than in a comparison with the time of a row',
        this.#find((node) => node.kind === 'FunctionCall' && /^current_/i.test(node.name.parts[0].name)),
      );
    forEachPart(value, (part) => this.add(part as Expression));
  }

  /** Buckets from the first to the last element of an array. @throws NotDerivable */
  addAxis(array: Expression, value: Expression): void {
    if (!isBucket(value)) throw this.wrongAxis();
    this.found.push({ value, operator: '>=', edge: array, end: 'first' });
    this.found.push({ value, operator: '<=', edge: array, end: 'last' });
  }

  wrongAxis(): NotDerivable {
    return new NotDerivable(
      'an array that depends on the current time is not joined by equality with a bucket, or is not of whole buckets',
      this.#find((node) => node.kind === 'FunctionCall' && /^generate_/i.test(node.name.parts[0].name)),
    );
  }

  #addComparison(operator: string, [one, other, third]: readonly Expression[]): boolean {
    if (!one || !other) return false;
    if (operator === 'BETWEEN' || operator === 'NOT BETWEEN')
      return third !== undefined && this.#addEdge(one, '>=', other) && this.#addEdge(one, '<=', third);
    if (!isComparison(operator)) return false;
    return this.#addEdge(one, operator, other) || this.#addEdge(other, mirrored[operator], one);
  }

  #addEdge(value: Expression, operator: WindowEdge['operator'], edge: Expression): boolean {
    if (!isDetermined(value) || !readsTime(value) || readsNow(value)) return false;
    if (!isDetermined(edge) || readsTime(edge)) return false;
    if (!readsNow(edge)) return true;
    if (!isBucket(value) || !waysFromNow(edge)) return false;
    this.found.push({ value, operator, edge });
    return true;
  }
}
