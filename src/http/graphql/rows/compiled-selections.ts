import { type FieldNode, Kind } from 'graphql';
import { getOrAdd } from '../../../get-or-add.ts';
import {
  type CollectedField,
  type ResolvedField,
  selectionOf,
  type SelectionScope,
} from '../document/collect-fields.ts';
import { NullCondition } from '../execution/needs-objects.ts';
import type { RowSelection } from './row-selection.ts';

type CompileSelection = (fields: readonly CollectedField[], scope: SelectionScope) => RowSelection;

/** The selections that were compiled for one place of a document. */
interface CompiledField {
  readonly nodes: readonly FieldNode[];
  /** The variables that decide which fields are selected there. */
  readonly conditions: readonly string[];
  readonly byConditions: Map<string, RowSelection>;
}

/** A document with many conditions has few values that are sent. */
const maxVariants = 4;

/**
 * The selections that were compiled of one document, for the values of its conditions. They are kept with it: a `WeakMap`
 * would keep the syntax trees of documents that are sent once until the whole heap is collected.
 */
export class CompiledSelections {
  readonly #fields = new Map<FieldNode, CompiledField[]>();

  /** The selection of rows below a field. @throws NullCondition; and as `compile` does */
  get(info: ResolvedField, compile: CompileSelection): RowSelection {
    const { conditions, byConditions } = this.#fieldOf(info);
    const { coerced } = info.variableValues;
    // A variable with a default may be null where a directive must not have it.
    if (conditions.some((name) => coerced[name] === null)) throw new NullCondition();
    const key = conditions.map((name) => String(coerced[name])).join();
    if (byConditions.size >= maxVariants && !byConditions.has(key)) byConditions.clear();
    return getOrAdd(byConditions, key, () => compile(...selectionOf(info)));
  }

  #fieldOf(info: ResolvedField): CompiledField {
    const { fieldNodes } = info;
    const [first] = fieldNodes;
    if (first === undefined) throw new TypeError('a field without a node');
    const known = getOrAdd(this.#fields, first, () => []);
    const same = known.find(({ nodes }) => areEqual(nodes, fieldNodes));
    if (same !== undefined) return same;
    const field = { nodes: fieldNodes, conditions: conditionsIn(info), byConditions: new Map() };
    known.push(field);
    return field;
  }
}

const areEqual = (some: readonly FieldNode[], others: readonly FieldNode[]): boolean =>
  some.length === others.length && some.every((node, at) => node === others[at]);

function conditionsIn({ fieldNodes, fragments }: ResolvedField): readonly string[] {
  const names = new Set<string>();
  const selectionSets = new Set(fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []));
  // Those below them, and those of fragments, are added meanwhile.
  for (const { selections } of selectionSets) {
    for (const selection of selections) {
      for (const { arguments: given = [] } of selection.directives ?? [])
        for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      const { selectionSet } =
        selection.kind === Kind.FRAGMENT_SPREAD ? (fragments[selection.name.value] ?? {}) : selection;
      if (selectionSet !== undefined) selectionSets.add(selectionSet);
    }
  }
  return [...names];
}
