import {
  BIGINT,
  BIGNUM,
  BLOB,
  BOOLEAN,
  blobValue,
  DOUBLE,
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBListVector,
  DuckDBScalarFunction,
  type DuckDBVector,
  LIST,
  VARCHAR,
} from '@duckdb/node-api';
import type { HostFunction, HostValue } from '../../macros/host/host-function.ts';
import { hostFunctions } from '../../macros/host/host-functions.ts';
import { HostWork, savedLimits } from './host-work.ts';
import { registerJavascript } from './javascript-functions.ts';

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
  registerJavascript(connection, works);
  return works;
}

/** By the name of a function that only marks a database. */
const marked = new Map<string, HostWorks>();
let marking: Promise<unknown> = Promise.resolve();

/**
 * As `registerHostFunctions`, once for each database: functions that are registered again would not know the work of
 * other connections.
 */
export function shareHostFunctions(connection: DuckDBConnection): Promise<HostWorks> {
  const works = marking.then(async () => {
    const found = await connection.runAndReadAll(
      `SELECT function_name FROM duckdb_functions() WHERE starts_with(function_name, '${mark}')`,
    );
    const known = marked.get(String(found.getRows()[0]?.[0]));
    return known ?? registerMarked(connection);
  });
  marking = works.catch(() => {});
  return works;
}

const mark = 'host_works_';

function registerMarked(connection: DuckDBConnection): HostWorks {
  const works = registerHostFunctions(connection);
  const name = `${mark}${marked.size}`;
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({ name, parameterTypes: [], returnType: VARCHAR, mainFunction: () => {} }),
  );
  marked.set(name, works);
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
      work.run(input.rowCount, (row, take) => {
        const args = columns.map((column) => readValue(column, row, take));
        const value = args.includes(null) ? null : compute(args as HostValue[]);
        output.setItem(row, value instanceof Uint8Array ? blobValue(value) : value);
      });
      output.flush();
    },
  });
}

/** Reads the elements of a list one by one: a group of an aggregate can have millions. */
function readValue(vector: DuckDBVector, at: number, take: (bytes: number) => void): HostValue | null {
  if (vector instanceof DuckDBListVector) {
    const items = vector.getItemVector(at);
    return items && Array.from({ length: items.itemCount }, (_, at) => readValue(items, at, take) as string);
  }
  const item = vector.getItem(at);
  const value = item instanceof DuckDBBlobValue ? item.bytes : (item as HostValue | null);
  take(typeof value === 'string' || value instanceof Uint8Array ? value.length : 0);
  return value;
}
