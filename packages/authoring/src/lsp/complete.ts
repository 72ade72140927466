import { functionNames, type Syntax, unsupportedFunctions } from '@querygate/bigquery-sql/syntax';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { foldName } from '@querygate/text';
import { type CompletionItem, CompletionItemKind } from 'vscode-languageserver/node';
import { placeAt, schemasAt } from './header-keys.ts';
import { type NamedValue, parseAround, resolvePath, scopeOf } from './sql-scope.ts';

/** Proposals for the end of the beginning of a header. */
export function completeHeader(textBefore: string): CompletionItem[] {
  const { path, valueKey } = placeAt(textBefore);
  if (valueKey !== undefined) {
    const values = schemasAt([...path, valueKey]).flatMap((schema) => [
      ...(schema.enum ?? []),
      ...(schema.const === undefined ? [] : [schema.const]),
      ...(schema.type === 'boolean' ? ['true', 'false'] : []),
    ]);
    return [...new Set(values)].map((label) => ({ label, kind: CompletionItemKind.Value }));
  }
  const properties = new Map(schemasAt(path).flatMap((schema) => Object.entries(schema.properties ?? {})));
  return [...properties].map(([label, { description }]) => ({
    label,
    kind: CompletionItemKind.Property,
    ...(description !== undefined && { documentation: description }),
    insertText: `${label}: `,
  }));
}

interface SqlPlace {
  readonly sql: string;
  readonly offset: number;
  readonly tables: readonly TableSchema[];
  /** The names of queries and views that can be read as tables. */
  readonly readable: readonly string[];
  /** The declared parameters, each with what it means. */
  readonly parameters: readonly NamedValue[];
  /** The tree of the last SQL that could be parsed. */
  readonly last: Syntax.Statement | undefined;
}

/** Proposals for a place in SQL: parameters, tables, fields, columns and functions. */
export function completeSql({ sql, offset, tables, readable, parameters, last }: SqlPlace): CompletionItem[] {
  const before = sql.slice(0, offset);
  if (/@\w*$/.test(before)) return parameters.map((one) => itemOf(one, CompletionItemKind.Variable));
  const statement = parseAround(sql, offset) ?? last;
  const scope = statement === undefined ? { ranges: [], tables: tables } : scopeOf(statement, tables);
  const isTable = /\b(?:from|join)\s+(?:`[^`]*|\w*)$/i.test(before);
  if (isTable) return [...scope.tables.map(({ name }) => name), ...readable.map(quotedPath)].map(moduleOf);
  const [, dataset] = /\b(?:from|join)\s+`?(\w+)`?\.[\w.@-]*$/i.exec(before) ?? [];
  const inDataset = readable.filter((name) => dataset && name.startsWith(`${foldName(dataset)}.`));
  if (dataset !== undefined && inDataset.length > 0)
    return inDataset.map((name) => moduleOf(quotedPath(name.slice(dataset.length + 1))));
  const [end = ''] = /(?<![\w.`])[\w.`]+$/.exec(before) ?? [];
  const [, path] = /(?<!\w)((?:`?\w+`?\.)+)\w*$/.exec(end) ?? [];
  if (path !== undefined) {
    const names = path.slice(0, -1).replaceAll('`', '').split('.');
    return (resolvePath(names, scope.ranges)?.fields ?? []).map((field) =>
      itemOf(field, CompletionItemKind.Field),
    );
  }
  const columns = new Map(
    scope.ranges.flatMap(({ fields = [] }) => fields).map((field) => [field.name, field]),
  );
  return [
    ...[...columns.values()].map((column) => itemOf(column, CompletionItemKind.Field)),
    ...scope.ranges.map((range) => itemOf(range, CompletionItemKind.Module)),
    ...functions.map((label) => ({ label, kind: CompletionItemKind.Function })),
  ];
}

const moduleOf = (label: string): CompletionItem => ({ label, kind: CompletionItemKind.Module });

/** A name of a table as FROM has it: with backquotes around the parts that need them. */
const quotedPath = (name: string): string =>
  name
    .split('.')
    .map((part) => (/^\w+$/.test(part) ? part : `\`${part}\``))
    .join('.');

const functions = [...functionNames]
  .filter((name) => !unsupportedFunctions.has(name))
  .map((name) => name.toUpperCase());

const itemOf = ({ name, type, description }: NamedValue, kind: CompletionItemKind): CompletionItem => ({
  label: name,
  kind,
  ...(type !== undefined && { detail: type }),
  ...(description !== undefined && { documentation: description }),
});
