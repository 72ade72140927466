import { hash } from 'node:crypto';
import { type GraphQLObjectType, isObjectType } from 'graphql';
import type { ResultDocument } from '../../../results/result-document.ts';
import {
  type CollectedField,
  collectFields,
  type SelectionScope,
  selectionsBelow,
} from '../document/collect-fields.ts';
import { blockOf, type Cells, type ColumnGroup } from './cell-blocks.ts';
import { cellOf, keyOfObject } from './field-extensions.ts';
import { columnPlaces } from './column-places.ts';
import { compileRecord, compileRowObject } from './object-writers.ts';
import { compileRows, type RowMember } from './rows-writer.ts';
import type { Written } from '../execution/written.ts';

/** Rows of a document, in a field of an operation. */
export interface FieldRows {
  readonly document: ResultDocument;
  /** The places of the rows in the document; undefined for all. */
  readonly places?: Uint32Array | undefined;
  /** Of each row of a page. */
  readonly cursors?: readonly string[];
}

/** Writes the fields that an operation selects in rows. */
export interface RowSelection {
  /** Of which columns the cells must have been made. */
  readonly groups: readonly ColumnGroup[];
  /** The columns of records in which it selects fields; their cells must have been made too. */
  readonly selected: readonly SelectedColumn[];
  list(cells: Cells, rows: FieldRows): Written;
}

interface SelectedColumn {
  readonly group: ColumnGroup;
  /** Equal for equal selections in the same record; short. */
  readonly selection: string;
}

/** Compiles the fields of rows. @throws SelectsMore */
export function compileRowFields(
  row: GraphQLObjectType,
  fields: readonly CollectedField[],
  scope: SelectionScope,
): RowSelection {
  const selected: SelectedColumn[] = [];
  return selectionOfMembers(membersOf(row, fields, scope, selected), selected);
}

/** Compiles the fields of edges: rows, each with its cursor. @throws SelectsMore */
export function compileEdgeFields(
  row: GraphQLObjectType,
  typeName: string,
  fields: readonly CollectedField[],
  scope: SelectionScope,
): RowSelection {
  const selected: SelectedColumn[] = [];
  const members = fields.map((field): RowMember => {
    const { responseKey, name } = field;
    if (name === 'cursor') return { responseKey, place: { group: cursors, at: 0 } };
    if (name !== 'node') return { responseKey, constant: JSON.stringify(typeName) };
    const ofNode = collectFields(selectionsBelow(field), scope);
    return { responseKey, members: membersOf(row, ofNode, scope, selected) };
  });
  return selectionOfMembers(members, selected);
}

/** The cursors of a page, which are not in its document. */
const cursors: ColumnGroup = [{ name: 'cursor', column: 'cursor', write: (value) => JSON.stringify(value) }];

function selectionOfMembers(
  members: readonly RowMember[],
  selected: readonly SelectedColumn[],
): RowSelection {
  const rows = compileRows(members);
  const others = new Set([cursors, ...selected.map(({ group }) => group)]);
  return {
    groups: rows.groups.filter((group) => !others.has(group)),
    selected,
    list(cells, { document, places, cursors: texts = [] }) {
      const ofPage = rows.groups.includes(cursors)
        ? blockOf(
            cursors,
            texts.map((cursor) => ({ cursor })),
          )
        : undefined;
      const block: Cells['block'] = (group) =>
        group === cursors && ofPage !== undefined ? ofPage : cells.block(group);
      return rows.list({ block }, document.metadata.rowCount, places);
    },
  };
}

/** @param selected to which the columns of records are added */
function membersOf(
  row: GraphQLObjectType,
  fields: readonly CollectedField[],
  scope: SelectionScope,
  selected: SelectedColumn[],
): readonly RowMember[] {
  return fields.map((field): RowMember => {
    const { responseKey, name } = field;
    const ofRecord = selectedColumn(row, field, scope);
    if (ofRecord !== undefined) selected.push(ofRecord);
    const place = ofRecord === undefined ? columnPlaces(row).get(name) : { group: ofRecord.group, at: 0 };
    return place === undefined ? { responseKey, constant: JSON.stringify(row.name) } : { responseKey, place };
  });
}

/** @returns undefined if the field has no selection: it is neither a record with known fields nor another object */
function selectedColumn(
  row: GraphQLObjectType,
  field: CollectedField,
  scope: SelectionScope,
): SelectedColumn | undefined {
  const { name } = field;
  const { extensions, type } = row.getFields()[name] ?? {};
  const cell = cellOf(extensions);
  const objectKey = keyOfObject(extensions);
  if (cell !== undefined && isObjectType(cell.type)) {
    const { write, key } = compileRecord(cell.field, cell.type, field, scope);
    return { group: [{ name, column: cell.field.name, write }], selection: shortKey(key) };
  }
  if (objectKey === undefined) return undefined;
  const { write, key } = compileRowObject(String(type), objectKey, field, scope);
  return { group: [{ name, column: '', write }], selection: shortKey(key) };
}

const shortKey = (key: string): string => (key.length > maxKeyLength ? hash('sha256', key, 'base64') : key);

/** Of keys that are kept as they are. */
const maxKeyLength = 200;
