import type { EntityReference } from '../../../catalog/model/federation.ts';
import type { Row } from '../../../results/row-parts.ts';
import {
  type CollectedField,
  collectFields,
  type SelectionScope,
  selectionsBelow,
} from '../document/collect-fields.ts';
import { isNoKey, keyValue } from './key-value.ts';
import type { ColumnFormat } from './cell-blocks.ts';
import { SelectsEntities, UnexpectedCell } from '../execution/needs-objects.ts';

interface ReferenceWriter {
  readonly write: ColumnFormat['write'];
  /** Equal for equal selections of the same entity from the same columns. */
  readonly key: string;
}

/**
 * Compiles what writes the entity that a row refers to, as far as its key says it.
 *
 * @throws SelectsEntities if more than the key is selected
 */
export function compileReference(
  { entity, key }: EntityReference,
  collected: CollectedField,
  scope: SelectionScope,
): ReferenceWriter {
  const keys: string[] = [];
  const members = collectFields(selectionsBelow(collected), { ...scope, type: entity }).map(
    ({ responseKey, name }, at) => {
      const start = `${at === 0 ? '{' : ','}${JSON.stringify(responseKey)}:`;
      keys.push(`${responseKey}:${name}`);
      if (name === '__typename') return { start: start + JSON.stringify(entity), from: undefined };
      const from = key.find((one) => one.name === name);
      if (from === undefined) throw new SelectsEntities();
      return { start, from };
    },
  );
  const isNull = (row: Row) => key.some(({ column }) => isNoKey(row[column]));
  return {
    write: (_value, row) => {
      if (isNull(row)) return 'null';
      const texts = members.map(({ start, from }) =>
        from === undefined ? start : start + keyText(from, row[from.column]),
      );
      return texts.length === 0 ? '{}' : `${texts.join('')}}`;
    },
    key: `reference ${JSON.stringify([entity, key, keys])}`,
  };
}

function keyText(field: EntityReference['key'][number], cell: unknown): string {
  const value = keyValue(field, cell);
  if (value === undefined) throw new UnexpectedCell();
  return JSON.stringify(value);
}
