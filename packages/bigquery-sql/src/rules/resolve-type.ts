import { didYouMean, upperName } from '@querygate/text';
import type * as Syntax from '../syntax/nodes.ts';
import {
  arrayOf,
  describeType,
  isScalar,
  rangeOf,
  type ScalarName,
  scalar,
  structOf,
  type Type,
} from '../types.ts';
import { Unsupported } from './unsupported.ts';

const scalarNames: Readonly<Record<string, ScalarName>> = {
  INT64: 'INT64',
  INT: 'INT64',
  INTEGER: 'INT64',
  BIGINT: 'INT64',
  SMALLINT: 'INT64',
  TINYINT: 'INT64',
  BYTEINT: 'INT64',
  FLOAT64: 'FLOAT64',
  NUMERIC: 'NUMERIC',
  DECIMAL: 'NUMERIC',
  BIGNUMERIC: 'BIGNUMERIC',
  BIGDECIMAL: 'BIGNUMERIC',
  BOOL: 'BOOL',
  BOOLEAN: 'BOOL',
  STRING: 'STRING',
  BYTES: 'BYTES',
  DATE: 'DATE',
  TIME: 'TIME',
  DATETIME: 'DATETIME',
  TIMESTAMP: 'TIMESTAMP',
  INTERVAL: 'INTERVAL',
  JSON: 'JSON',
};

/** Types of other databases. */
const otherTypes: Readonly<Record<string, ScalarName>> = {
  BLOB: 'BYTES',
  BYTEA: 'BYTES',
  CHAR: 'STRING',
  DOUBLE: 'FLOAT64',
  FLOAT: 'FLOAT64',
  FLOAT32: 'FLOAT64',
  FLOAT4: 'FLOAT64',
  FLOAT8: 'FLOAT64',
  INT32: 'INT64',
  INT8: 'INT64',
  JSONB: 'JSON',
  LONG: 'INT64',
  NUMBER: 'NUMERIC',
  NVARCHAR: 'STRING',
  REAL: 'FLOAT64',
  SIGNED: 'INT64',
  TEXT: 'STRING',
  TIMESTAMPTZ: 'TIMESTAMP',
  TIMESTAMP_LTZ: 'TIMESTAMP',
  TIMESTAMP_NTZ: 'DATETIME',
  UINT32: 'INT64',
  UINT64: 'NUMERIC',
  UNSIGNED: 'INT64',
  UUID: 'STRING',
  VARCHAR: 'STRING',
};

function rangeType({ element: node }: Syntax.RangeType): Type {
  const element = resolveType(node);
  if (isScalar(element, 'DATE', 'DATETIME', 'TIMESTAMP')) return rangeOf(element);
  throw new Unsupported(node, `RANGE takes DATE, DATETIME or TIMESTAMP, not ${describeType(element)}`);
}

/** The scalar type with this name, which is not case-sensitive; undefined for an unknown name. */
export function scalarNamed(name: string): Type | undefined {
  const key = upperName(name);
  const found = Object.hasOwn(scalarNames, key) ? scalarNames[key] : undefined;
  return found && scalar(found);
}

/** The type that a type of the syntax tree names, without its parameters. */
export function resolveType(node: Syntax.Type): Type {
  switch (node.kind) {
    case 'ArrayType':
      return arrayOf(resolveType(node.element));
    case 'StructType':
      return structOf(
        node.fields.map(({ name, type }) => ({ name: name?.name ?? '', type: resolveType(type) })),
      );
    case 'RangeType':
      return rangeType(node);
    case 'NamedType': {
      if (node.collation) throw new Unsupported(node.collation, 'COLLATE in a type is not supported');
      const written = node.name.parts.map(({ name }) => name).join('.');
      const found = scalarNamed(written);
      if (found) return found;
      const own = otherTypes[upperName(written)];
      throw new Unsupported(node, `the type ${written} is not supported`, {
        hint: () =>
          own === undefined ? didYouMean(written.toUpperCase(), Object.keys(scalarNames)) : `: write ${own}`,
      });
    }
  }
}
