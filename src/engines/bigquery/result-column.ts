import { headerTypes, type ResultColumn } from '../../catalog/model/header-types.ts';
import type { WireField } from './api/wire.ts';

/** A column of BigQuery's result, in the words of a saved query's header. */
export function toResultColumn(field: WireField): ResultColumn {
  const { name, type, fields } = field;
  const own = type === 'RECORD' || type === 'STRUCT' ? 'record' : (headerTypes[type] ?? type);
  return {
    name,
    type: own,
    repeated: isRepeated(field),
    ...(own === 'record' && fields && { fields: fields.map(toResultColumn) }),
  };
}

export function isRepeated({ mode }: WireField): boolean {
  return mode === 'REPEATED';
}
