import { z } from 'zod';
import { didYouMean } from '@querygate/text';
import { headerTypes } from '../../model/header-types.ts';
import { columnTypes, type RecordField } from '../../model/saved-query.ts';

type ColumnType = RecordField['type'];

/** The declared fields of a record; `any` if it may be any JSON object. */
export type DeclaredFields = 'any' | { readonly [name: string]: DeclaredField };

/** A field: its type alone, or with more. */
type DeclaredField =
  | ColumnType
  | {
      readonly type: ColumnType;
      readonly repeated: boolean;
      readonly required: boolean;
      readonly unit?: string | undefined;
      readonly description?: string | undefined;
      readonly fields?: DeclaredFields | undefined;
    };

const text = z.string().trim().min(1, 'must not be empty');

/** The end of a message about an unknown type: the one that has this name in SQL, or the nearest one. */
export function typeHint(name: unknown, types: readonly string[]): string {
  if (typeof name !== 'string') return '';
  if (/^(?:array|list)$/i.test(name)) return '; write the type of its elements, and repeated: true';
  const meant = [headerTypes[name.toUpperCase()] ?? [], otherNames.get(name.toLowerCase()) ?? []].flat();
  const known = meant.filter((type) => types.includes(type));
  return known.length > 0 ? `; did you mean ${known.join(' or ')}?` : didYouMean(name, types);
}

/** Names of types in other languages, and of types that have another form here. */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['int', ['integer']],
  ['bigint', ['integer']],
  ['number', ['integer', 'float', 'numeric']],
  ['double', ['float']],
  ['decimal', ['numeric']],
  ['text', ['string']],
  ['varchar', ['string']],
  ['struct', ['record']],
  ['object', ['record', 'json']],
]);

export const columnType = z.enum(columnTypes, {
  error: ({ code, input }) =>
    code === 'invalid_value' && input !== undefined
      ? `must be one of ${columnTypes.join(', ')}${typeHint(input, columnTypes)}`
      : undefined,
});

const fieldsText = 'must be any, or the fields by name, as in { path: string }';

export const fieldsSchema: z.ZodType<DeclaredFields> = z
  .lazy(() =>
    z.union(
      [
        z.literal('any'),
        z
          .record(z.string().min(1, 'a field needs a name'), fieldSchema)
          .refine((fields) => Object.keys(fields).length > 0, 'must list at least one field'),
      ],
      { error: fieldsText },
    ),
  )
  .meta({ id: 'recordFields' });

const fieldSchema: z.ZodType<DeclaredField> = z.union(
  [
    z.enum(columnTypes),
    z.strictObject({
      type: columnType,
      repeated: z.boolean().default(false),
      required: z.boolean().default(false),
      unit: text.optional(),
      description: text.optional(),
      fields: fieldsSchema.optional(),
    }),
  ],
  { error: `must be a type, one of ${columnTypes.join(', ')}, or { type, … }` },
);

type LineOf = (path: readonly PropertyKey[]) => number;

/** The fields of a record as a saved query has them: empty if the header leaves them to the SQL. */
export function toRecordFields(
  declared: DeclaredFields | undefined,
  path: readonly string[],
  lineOf: LineOf,
): Pick<RecordField, 'fields' | 'isFreeForm'> {
  if (declared === undefined) return {};
  if (declared === 'any') return { isFreeForm: true };
  return {
    fields: Object.entries(declared).map(([name, field]): RecordField => {
      const own = [...path, 'fields', name];
      const line = lineOf(own);
      if (typeof field === 'string') return { name, type: field, repeated: false, required: false, line };
      const { fields, ...rest } = field;
      return { name, ...rest, line, ...toRecordFields(fields, own, lineOf) };
    }),
  };
}
