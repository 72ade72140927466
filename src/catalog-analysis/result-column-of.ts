import { headerTypes, type ResultColumn } from '../catalog/model/header-types.ts';
import { describeType, storedFields, type Type } from '@querygate/bigquery-sql/types';

/** A column of a type of BigQuery, in the words of a saved query's header. */
export function resultColumnOf(name: string, type: Type): ResultColumn {
  const repeated = type.kind === 'array';
  const element = repeated ? type.element : type;
  const fields = fieldsOf(element);
  return { name, type: headerType(element), repeated, ...(fields && { fields }) };
}

/** With the names that the values have in JSON. */
function fieldsOf(type: Type): readonly ResultColumn[] | undefined {
  if (type.kind !== 'struct') return undefined;
  const stored = storedFields(type.fields);
  return type.fields.map(({ type: inner }, at) => {
    const own = stored[at] ?? '';
    return inner.kind === 'unknown' || inner.kind === 'null'
      ? { name: own, type: undefined, repeated: false }
      : resultColumnOf(own, inner);
  });
}

function headerType(type: Type): string {
  if (type.kind === 'struct') return 'record';
  return (type.kind === 'scalar' ? headerTypes[type.name] : undefined) ?? describeType(type);
}
