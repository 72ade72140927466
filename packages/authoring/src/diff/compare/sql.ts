import { functionNames, isReserved, type Token, tokenize } from '@querygate/bigquery-sql/syntax';
import { type Field, legacyNames, type TableSchema } from '@querygate/bigquery-sql/table-schema';
import { foldName } from '@querygate/text';
import type { SavedQuery } from 'querygate';
import { type Change, change, fromTo, matchBy, type Pair } from '../change.ts';
import { readsOf, type SqlReads } from './sql-reads.ts';

/** Changes of the SQL, apart from its layout. */
export function compareSql({ before, after }: Pair): readonly Change[] {
  const [old, now] = [before, after].map(({ sql }) => sql.replaceAll('\r\n', '\n').trim());
  if (old === now) return [];
  const isSame = tokensOf(before.sql) === tokensOf(after.sql);
  return [
    isSame
      ? change('sql-layout', ['sql'], 'comments, blanks or the case of keywords of the SQL changed')
      : change('sql-changed', ['sql'], `SQL changed${changedParts({ before, after })}`),
  ];
}

/** The files of parts with another text than before, if there are some. */
function changedParts({ before, after }: Pair): string {
  const known = new Set(textsOf(before).map(({ text }) => text));
  const changed = textsOf(after).filter(({ file, text }) => file !== after.source.file && !known.has(text));
  const files = [...new Set(changed.map(({ file }) => file))];
  return files.length === 0 ? '' : ` in ${listed(files)}`;
}

const textsOf = ({ source }: SavedQuery) => source.written?.texts ?? [];

/** The SQL without comments and blanks. The case of keywords and of built-in functions means nothing. */
const tokensOf = (sql: string): string => {
  const tokens = tokenize(sql.replaceAll('\r\n', '\n'));
  return JSON.stringify(
    tokens.map((token, at) => [
      token.kind,
      isAnyCase(token, tokens[at - 1], tokens[at + 1]) ? token.key : tokenText(token, sql),
    ]),
  );
};

/** True for a reserved word, and for the name of a built-in function: names of others and of columns keep their case. */
function isAnyCase({ kind, key }: Token, before: Token | undefined, after: Token | undefined): boolean {
  if (kind !== 'word' || before?.key === '.' || before?.key === '@') return false;
  return isReserved(key) || (after?.key === '(' && functionNames.has(foldName(key)));
}

function tokenText(token: Token, sql: string): unknown {
  switch (token.kind) {
    case 'word':
    case 'integer':
    case 'float':
      return token.text;
    case 'quoted name':
      return token.name;
    case 'string':
      return token.value;
    case 'bytes':
      return [...token.value];
    case 'symbol':
      return token.key;
    case 'end':
      return '';
    // The tokens end here, so the rest of the text is compared as it is.
    case 'invalid':
      return sql.slice(token.start);
  }
}

/** Compares tables of two versions once, for all endpoints that read them. */
export function openTableComparison(
  before: readonly TableSchema[],
  after: readonly TableSchema[],
): (query: SavedQuery) => readonly Change[] {
  const { both, removed, added } = matchBy(before, after, ({ name }) => foldName(name));
  const differences = both.flatMap(([old, { name, fields }]) => {
    const found = compareFields(old.fields, fields, []);
    return found.length === 0 ? [] : [{ name, found }];
  });
  return ({ sql }) => {
    if (differences.length + removed.length + added.length === 0) return [];
    const reads = readsOf(sql);
    const isRead = ({ name }: { readonly name: string }) =>
      reads.tables.some((one) => one.matches(foldName(name)));
    const isFound = ({ name }: TableSchema) =>
      reads.tables.some((one) => one.isWildcard && one.matches(foldName(name)));
    return [
      ...removed
        .filter(isRead)
        .map(({ name }) => change('table-changed', ['sql'], `schema of table ${name} removed`)),
      ...added
        .filter(isFound)
        .map(({ name }) => change('table-extended', ['sql'], `table ${name} added, which a wildcard finds`)),
      ...differences.filter(isRead).flatMap(({ name, found }) => fieldChanges(name, found, reads)),
    ];
  };
}

/** Changes of a table's fields, of which a query reads some. */
function fieldChanges(
  table: string,
  found: readonly FieldDifference[],
  { isAll, names, whole }: SqlReads,
): readonly Change[] {
  const read = found.filter(
    ({ path, isAdded }) =>
      isAdded || isAll || names.has(path.at(-1) ?? '') || path.some((record) => whole.has(record)),
  );
  return (['table-changed', 'table-extended'] as const).flatMap((kind) => {
    const texts = read
      .filter(({ isAdded }) => isAdded === (kind === 'table-extended'))
      .map(({ text }) => text);
    return texts.length === 0 ? [] : [change(kind, ['sql'], `table ${table}: ${listed(texts)}`)];
  });
}

/** The first of many. */
const listed = (texts: readonly string[]) =>
  `${texts.slice(0, 3).join(', ')}${texts.length > 3 ? `, and ${texts.length - 3} more` : ''}`;

interface FieldDifference {
  /** Its name after those of the records around it, in lower case. */
  readonly path: readonly string[];
  readonly text: string;
  readonly isAdded: boolean;
}

function compareFields(
  before: readonly Field[],
  after: readonly Field[],
  around: readonly string[],
): readonly FieldDifference[] {
  const { both, removed, added } = matchBy(before, after, ({ name }) => foldName(name));
  const difference = ({ name }: Field, text: string, isAdded = false): FieldDifference => ({
    path: [...around, name].map((part) => foldName(part)),
    text: `field ${[...around, name].join('.')} ${text}`,
    isAdded,
  });
  return [
    ...removed.map((field) => difference(field, 'removed')),
    ...added.map((field) => difference(field, 'added', true)),
    ...both.flatMap(([old, now]) => {
      const [oldType, type] = [old, now].map((field) => typeText(field));
      const own = oldType === type ? [] : [difference(now, fromTo(oldType, type))];
      return [...own, ...compareFields(old.fields ?? [], now.fields ?? [], [...around, now.name])];
    }),
  ];
}

const typeText = ({ type, mode, collation }: Field) =>
  `${legacyNames[type] ?? type} ${mode}${collation ? ` COLLATE ${collation}` : ''}`;
