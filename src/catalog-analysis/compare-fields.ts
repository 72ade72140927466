import type { RecordField } from '../catalog/model/saved-query.ts';
import { didYouMean } from '@querygate/text';
import { accepts, describeColumn, isSameColumn } from './check-columns.ts';
import type { KnownColumn } from './known-columns.ts';

/** A difference between a field that a saved query has and the one that the SQL returns. */
export interface FieldProblem {
  /** The line of the header that declares it; undefined if the type of the SQL gave it. */
  readonly line: number | undefined;
  /** Begins with its path: `columns.metadata.request.path: …`. */
  readonly message: string;
}

/**
 * Every difference between the fields of a record and those that the SQL returns.
 *
 * @param declared the record; it has no differences if its fields are not known
 */
export function compareFields(
  path: string,
  declared: RecordField,
  found: KnownColumn,
): readonly FieldProblem[] {
  const [fields, foundFields] = [declared.fields, found.fields];
  if (fields === undefined || foundFields === undefined) return [];
  return fields.flatMap((field) => compareField(`${path}.${field.name}`, field, foundFields));
}

function compareField(
  path: string,
  field: RecordField,
  siblings: readonly KnownColumn[],
): readonly FieldProblem[] {
  const { line } = field;
  const declared = line === undefined ? 'according to the files of the tables' : 'declared';
  const problem = (message: string) => [{ line, message: `${path}: ${message}` }];
  const found = siblings.find(({ name }) => name === field.name);
  if (found === undefined) {
    const other = siblings.find(({ name }) => isSameColumn(name, field.name));
    if (other !== undefined) return problem(`${declared} so, but the SQL spells it ${other.name}`);
    const hint = didYouMean(
      field.name,
      siblings.map(({ name }) => name),
    );
    return problem(`${declared}, but the SQL returns no such field${hint}`);
  }
  // Any value is JSON.
  const fits = field.type === 'json' ? field.repeated === found.repeated : accepts(field, found);
  if (!fits && found.type !== undefined)
    return problem(`${declared} ${describeColumn(field)}, but the SQL returns ${describeColumn(found)}`);
  if (line !== undefined && field.required && !field.repeated && found.mode === 'NULLABLE')
    return problem('declared as required, but it is NULLABLE in its table');
  return compareFields(path, field, found);
}

/** The fields that the SQL returns and a header does not declare, as messages at the line of their record. */
export function undeclaredFields(
  path: string,
  { fields, line }: RecordField,
  found: KnownColumn,
): readonly FieldProblem[] {
  if (fields === undefined || found.fields === undefined) return [];
  const isDeclared = (name: string) => fields.some((field) => isSameColumn(field.name, name));
  return [
    ...found.fields
      .filter(({ name }) => !isDeclared(name))
      .map(({ name }) => ({
        line,
        message: `${path}: the SQL returns a field ${name} that the header does not declare under fields`,
      })),
    ...fields.flatMap((field) => {
      const inner = found.fields?.find(({ name }) => name === field.name);
      return inner === undefined ? [] : undeclaredFields(`${path}.${field.name}`, field, inner);
    }),
  ];
}
