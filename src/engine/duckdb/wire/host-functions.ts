import {
  BIGINT,
  BIGNUM,
  BLOB,
  BOOLEAN,
  blobValue,
  DOUBLE,
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBListValue,
  DuckDBScalarFunction,
  type DuckDBValue,
  LIST,
  VARCHAR,
} from '@duckdb/node-api';
import type { HostFunction, HostValue } from '../../dialect/macros/host/host-function.ts';
import { hostFunctions } from '../../dialect/macros/host/host-functions.ts';

const types = { BIGINT, BIGNUM, BLOB, BOOLEAN, DOUBLE, VARCHAR, 'VARCHAR[]': LIST(VARCHAR) };

/** Registers the functions that macros call and DuckDB lacks, for all connections of the database. */
export function registerHostFunctions(connection: DuckDBConnection): void {
  for (const definition of hostFunctions) connection.registerScalarFunction(toDuckdb(definition));
}

function toDuckdb({ name, parameters, result, compute }: HostFunction): DuckDBScalarFunction {
  return DuckDBScalarFunction.create({
    name,
    parameterTypes: parameters.map((type) => types[type]),
    returnType: types[result],
    mainFunction(_, input, output) {
      const columns = parameters.map((_, at) => input.getColumnVector(at));
      for (let row = 0; row < input.rowCount; row += 1) {
        const args = columns.map((column) => column.getItem(row));
        const value = args.includes(null) ? null : compute(args.map(toHost));
        output.setItem(row, value instanceof Uint8Array ? blobValue(value) : value);
      }
      output.flush();
    },
  });
}

function toHost(value: DuckDBValue): HostValue {
  if (value instanceof DuckDBBlobValue) return value.bytes;
  return (value instanceof DuckDBListValue ? value.items : value) as HostValue;
}
