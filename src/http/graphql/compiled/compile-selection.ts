import type { FragmentDefinitionNode, GraphQLObjectType } from 'graphql';
import type { SavedQuery } from '../../../catalog/saved-query.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import { isoText } from '../schema/scalars.ts';
import { type BinaryText, toBinaryText } from './binary-text.ts';
import { type CollectedField, type Conditions, collectFields, selectionsBelow } from './collect-fields.ts';
import type { ColumnFormat, ColumnTexts } from './column-texts.ts';

/** Writes the value of one root field from its result. */
export interface SelectionWriter {
  /** Appends the JSON text to the pieces of a response. @throws UnexpectedCell */
  write(result: CachedResult, columns: ColumnTexts, pieces: BinaryText[]): void;
  /** The fields that return the rows, each under its own response key. */
  readonly rowLists: readonly CollectedField[];
  /** Bytes of the names in one row of every list. */
  readonly nameBytesPerRow: number;
  /** Whether the text depends on how the result was obtained, not only on the document. */
  readonly readsCacheStatus: boolean;
}

/** What a saved query's field returns, as far as writing it needs to know. */
export interface QueryOutput {
  readonly query: SavedQuery;
  readonly resultType: GraphQLObjectType;
  readonly rowType: GraphQLObjectType;
  readonly costType: GraphQLObjectType;
  /** By the name of the field in the row type. */
  readonly columns: ReadonlyMap<string, ColumnFormat>;
}

interface Selection {
  readonly field: CollectedField;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly conditions: Conditions;
}

type WriteMember = (result: CachedResult, columns: ColumnTexts, pieces: BinaryText[]) => void;

/** Compiles what an operation selects below one root field; the fields are those of `schema/result-type.ts`. */
export function compileSelection(output: QueryOutput, selection: Selection): SelectionWriter {
  const { fragments, conditions } = selection;
  const fields = collectFields(selectionsBelow(selection.field), fragments, conditions);
  const members = fields.map((field, at) => ({
    start: `${at > 0 ? ',' : '{'}${JSON.stringify(field.responseKey)}:`,
    write: memberWriter(output, { ...selection, field }),
  }));
  const rowLists = fields.filter(({ name }) => name === 'rows');
  return {
    write(result, columns, pieces) {
      for (const { start, write } of members) {
        pieces.push(start);
        write(result, columns, pieces);
      }
      pieces.push(members.length === 0 ? '{}' : '}');
    },
    rowLists,
    nameBytesPerRow: rowLists.reduce((sum, field) => sum + nameBytes({ ...selection, field }), 0),
    readsCacheStatus: fields.some(({ name }) => name === 'stale' || name === 'cacheStatus'),
  };
}

function nameBytes({ field, fragments, conditions }: Selection): number {
  const cells = collectFields(selectionsBelow(field), fragments, conditions);
  return cells.reduce((sum, { responseKey }) => sum + responseKey.length + '"":,'.length, '{},'.length);
}

function memberWriter(output: QueryOutput, selection: Selection): WriteMember {
  switch (selection.field.name) {
    case 'rows':
      return rowsWriter(output, selection);
    case 'rowCount':
      return valueWriter(({ document }) => String(document.metadata.rowCount));
    case 'truncated':
      return valueWriter(({ document }) => String(document.metadata.truncated));
    case 'cost':
      return valueWriter(costText(output, selection));
    case 'computedAt':
      return valueWriter(({ document }) => `"${isoText(document.computedAt * 1000)}"`);
    case 'stale':
      return valueWriter(({ cacheStatus }) => String(cacheStatus === 'STALE'));
    case 'cacheStatus':
      return valueWriter(({ cacheStatus }) => `"${cacheStatus}"`);
    default: {
      const typename = JSON.stringify(output.resultType.name);
      return valueWriter(() => typename);
    }
  }
}

const valueWriter =
  (text: (result: CachedResult) => string): WriteMember =>
  (result, _, pieces) =>
    pieces.push(text(result));

/** Rows that are one piece: a piece for each cell would cost more to copy, a longer one more to join. */
const rowsPerPiece = 8;

/** Rows are the hot loop: each is the cells' own texts between literals that are the same for all rows. */
function rowsWriter({ rowType, columns: formats }: QueryOutput, selection: Selection): WriteMember {
  const { fragments, conditions } = selection;
  const siblings = [...formats.values()];
  const cells: ColumnFormat[] = [];
  /** One more than cells: the text before each, and the text after the last. */
  const literals = ['{'];
  const append = (text: string) => literals.push((literals.pop() ?? '') + text);
  for (const [at, { responseKey, name }] of collectFields(
    selectionsBelow(selection.field),
    fragments,
    conditions,
  ).entries()) {
    append(`${at > 0 ? ',' : ''}${JSON.stringify(responseKey)}:`);
    const format = formats.get(name);
    if (format === undefined) append(JSON.stringify(rowType.name));
    else {
      cells.push(format);
      literals.push('');
    }
  }
  append('}');
  const last = literals.pop() ?? '';
  return (_, columns, pieces) => {
    const texts = cells.map((format) => columns.of(format, siblings));
    pieces.push('[');
    for (let row = 0; row < columns.rowCount; ) {
      let json = '';
      for (const end = Math.min(row + rowsPerPiece, columns.rowCount); row < end; row += 1) {
        if (row > 0) json += ',';
        for (let at = 0; at < texts.length; at += 1) json += `${literals[at]}${texts[at]?.[row]}`;
        json += last;
      }
      pieces.push(json);
    }
    pieces.push(']');
  };
}

function costText({ costType }: QueryOutput, selection: Selection): (result: CachedResult) => BinaryText {
  const { fragments, conditions } = selection;
  const fields = collectFields(selectionsBelow(selection.field), fragments, conditions);
  return ({ document }) => {
    const { cost } = document.metadata;
    if (cost === undefined) return 'null';
    const members = fields.map(({ responseKey, name }) => {
      const value = name === '__typename' ? costType.name : cost[name as keyof typeof cost];
      return `${JSON.stringify(responseKey)}:${JSON.stringify(value ?? null)}`;
    });
    return toBinaryText(`{${members.join(',')}}`);
  };
}
