import type { Identifier, Node, SelectClause } from 'sql-parser-cst';
import { impliedName } from '../expr/identifiers.ts';
import { pack } from '../expr/structs.ts';
import { fieldSql, findRange, type Range, type Scope, type Sql } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { type Column, sameName } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

/** One column of a query's result. */
export interface Output extends Sql, Column {
  /** False if the query can't refer to the column by name. */
  readonly aliased: boolean;
}

const supportedModifiers: readonly string[] = [
  'select_distinct',
  'select_all',
  'select_as_struct',
  'select_as_value',
];

/** The one column of SELECT AS STRUCT or AS VALUE; undefined without either. */
export function rowValue(node: SelectClause, columns: readonly Output[]): Output | undefined {
  const types = node.modifiers.map(({ type }) => type as string);
  if (types.includes('select_as_struct')) {
    const fields = columns.map(({ name, aliased, text, type }) => ({
      name: aliased ? name : '',
      text,
      type,
    }));
    return { ...pack(fields), name: 'value', aliased: false };
  }
  if (!types.includes('select_as_value')) return undefined;
  const [only, another] = columns;
  if (!only || another) throw new Unsupported(node, 'SELECT AS VALUE takes exactly one column');
  const { shredded: _, ...value } = only;
  return { ...value, name: 'value', aliased: false };
}

/** The columns of the select list, with every star expanded. */
export function outputs(node: SelectClause, scope: Scope, tr: Translator): readonly Output[] {
  for (const modifier of node.modifiers) {
    if (!supportedModifiers.includes(modifier.type)) {
      tr.attempt(() => {
        throw new Unsupported(modifier, `${modifier.type.replaceAll('_', ' ')} is not supported`);
      }, undefined);
    }
  }
  const items = (node.columns?.items ?? []).filter(({ type }) => type !== 'empty');
  let anonymous = 0;
  return items
    .flatMap((item) => tr.attempt(() => output(item, scope, tr), []))
    .map((column) => (column.aliased ? column : { ...column, name: `f${anonymous++}_` }));
}

function output(node: Node, scope: Scope, tr: Translator): readonly Output[] {
  switch (node.type) {
    case 'all_columns':
      return star(node, scope);
    case 'except_columns': {
      const columns = output(node.expr, scope, tr);
      const names = node.columns.expr.items;
      for (const name of names) requireColumn(name, columns);
      return columns.filter((column) => !names.some(({ name }) => sameName(name, column.name)));
    }
    case 'replace_columns': {
      const columns = output(node.expr, scope, tr);
      const replacements = node.columns.expr.items;
      for (const { alias } of replacements) requireColumn(alias, columns);
      return columns.map((column) => {
        const found = replacements.find(({ alias }) => sameName(alias.name, column.name));
        return found ? { ...tr.expr(found.expr, scope), name: column.name, aliased: true } : column;
      });
    }
    case 'alias':
      if (/^["']/.test(node.alias.text))
        throw new Unsupported(node.alias, 'an alias must not be a string literal: quote it with backticks');
      return [{ ...tr.expr(node.expr as Node, scope), name: node.alias.name, aliased: true }];
    case 'member_expr':
      if (node.property.type === 'all_columns') return starOf(node.object, scope, tr);
  }
  const name = impliedName(node);
  return [{ ...tr.expr(node, scope), name: name ?? '', aliased: name !== undefined }];
}

function requireColumn({ name, ...node }: Identifier, columns: readonly Output[]): void {
  if (!columns.some((column) => sameName(column.name, name))) {
    throw new Unsupported({ name, ...node }, `no column is named ${name}`);
  }
}

function star(node: Node, scope: Scope): readonly Output[] {
  if (scope.ranges.length === 0) throw new Unsupported(node, '* needs a FROM clause');
  const merged = scope.merged.map((column) => ({ ...column, aliased: true }));
  const rest = scope.ranges
    .flatMap((range) => columnsOf(range))
    .filter(({ name }) => !scope.merged.some((column) => sameName(column.name, name)));
  return [...merged, ...rest];
}

function starOf(node: Node, scope: Scope, tr: Translator): readonly Output[] {
  const range = node.type === 'identifier' ? findRange(scope, node.name) : undefined;
  if (range) return columnsOf(range);
  const value = tr.expr(node, scope);
  if (value.type.kind !== 'struct') throw new Unsupported(node, '.* needs a STRUCT with known fields');
  return fieldsOf(value, value.type.fields);
}

function columnsOf(range: Range): readonly Output[] {
  const { value } = range;
  if (!value) return range.columns.map((column) => ({ ...column, aliased: true }));
  if (value.type.kind !== 'struct')
    return [{ ...value, name: range.name ?? '', aliased: range.name !== undefined }];
  return fieldsOf(value, value.type.fields);
}

const fieldsOf = (value: Sql, fields: readonly Column[]): readonly Output[] =>
  fields.flatMap(({ name }) => {
    const field = fieldSql(value, name);
    return field ? [{ ...field, name, aliased: true }] : [];
  });
