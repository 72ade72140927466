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
import { HostWork, savedLimits } from './host-work.ts';

const types = { BIGINT, BIGNUM, BLOB, BOOLEAN, DOUBLE, VARCHAR, 'VARCHAR[]': LIST(VARCHAR) };

/** The work of the statements that run, by the connections that they run on. */
export type HostWorks = Map<number, HostWork>;

/**
 * Registers the functions that macros call and DuckDB lacks, for all connections of the database.
 *
 * @returns where statements with limits of their own put their work
 */
export function registerHostFunctions(connection: DuckDBConnection): HostWorks {
  const works: HostWorks = new Map();
  for (const definition of hostFunctions) connection.registerScalarFunction(toDuckdb(definition, works));
  return works;
}

function toDuckdb(
  { name, parameters, result, compute }: HostFunction,
  works: HostWorks,
): DuckDBScalarFunction {
  return DuckDBScalarFunction.create({
    name,
    parameterTypes: parameters.map((type) => types[type]),
    returnType: types[result],
    // A chunk does not say which statement it belongs to.
    bindFunction(info) {
      info.setBindData({ connectionId: info.clientContext.connectionId });
    },
    mainFunction(info, input, output) {
      const { connectionId } = info.bindData as { readonly connectionId: number };
      const work = works.get(connectionId) ?? new HostWork(savedLimits);
      const columns = parameters.map((_, at) => input.getColumnVector(at));
      work.run(input.rowCount, (row) => {
        const args = columns.map((column) => column.getItem(row));
        const value = args.includes(null) ? null : compute(args.map(toHost));
        output.setItem(row, value instanceof Uint8Array ? blobValue(value) : value);
      });
      output.flush();
    },
  });
}

function toHost(value: DuckDBValue): HostValue {
  if (value instanceof DuckDBBlobValue) return value.bytes;
  return (value instanceof DuckDBListValue ? value.items : value) as HostValue;
}
