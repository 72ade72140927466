/**
 * The Postgres foreign data wrapper for Logflare: what it sends, and which JSON value a column of each type takes.
 *
 * Rules read from supabase/wrappers, wrappers/src/fdw/logflare_fdw/logflare_fdw.rs and docs/catalog/logflare.md.
 */
export type ColumnType =
  | 'boolean'
  | 'smallint'
  | 'integer'
  | 'bigint'
  | 'real'
  | 'double precision'
  | 'numeric'
  | 'text'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'jsonb';

export interface ForeignTable {
  /** The option `api_url` of the server. */
  readonly url: string;
  readonly key: string;
  /** The option `endpoint` of the table. */
  readonly endpoint: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
}

export type Cell = string | number | bigint | boolean | null;

/**
 * `SELECT * FROM table WHERE _param_<name> = value AND …`.
 *
 * @throws Error as the SQL error of the wrapper
 */
export async function selectAll(
  { url, key, endpoint, columns }: ForeignTable,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Record<string, Cell>[]> {
  const address = new URL(endpoint, url.endsWith('/') ? url : `${url}/`);
  for (const [name, value] of Object.entries(parameters)) address.searchParams.append(name, value);
  const response = await fetchWithRetries(address, key);
  if (response.status === 404) return [];
  if (!response.ok) throw new Error(`HTTP status ${response.status}`);
  const body: unknown = await response.json();
  const rows = (body as { result?: unknown } | null)?.result;
  if (!Array.isArray(rows)) throw new Error(`invalid response: ${JSON.stringify(body)}`);
  return rows.map((row: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(columns).map(([name, type]) => [name, cellOf(row, name, type, parameters)]),
    ),
  );
}

/** 408, 429 and 5xx are tried again, three times. (The wrapper waits longer between its attempts.) */
async function fetchWithRetries(address: URL, key: string): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(address, { headers: { 'x-api-key': key } });
    const isTransient = response.status >= 500 || response.status === 408 || response.status === 429;
    if (!isTransient || attempt === 3) return response;
    await response.arrayBuffer();
  }
}

function cellOf(
  row: Record<string, unknown>,
  name: string,
  type: ColumnType,
  parameters: Readonly<Record<string, string>>,
): Cell {
  if (name === '_result') return JSON.stringify(row);
  if (name.startsWith('_param_')) return parameters[name.slice('_param_'.length)] ?? null;
  // Only an absent key is NULL: JSON's null fits no type.
  if (!(name in row)) return null;
  const cell = decode(row[name], type);
  if (cell === undefined) throw new Error(`column '${name}' data type not match`);
  return cell;
}

const limits = { smallint: 2 ** 15, integer: 2 ** 31, bigint: 2 ** 63 };

function decode(value: unknown, type: ColumnType): Cell | undefined {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'smallint':
    case 'integer':
    case 'bigint':
      return Number.isInteger(value) && Math.abs(Number(value)) < limits[type] ? Number(value) : undefined;
    case 'real':
    case 'double precision':
    case 'numeric':
      return typeof value === 'number' ? value : undefined;
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'date':
      return isTime(value, /^\d{4}-\d\d-\d\d$/) ? value : undefined;
    // Postgres' own parser reads both forms; without a zone a timestamptz is in the session's zone.
    case 'timestamp':
    case 'timestamptz':
      return isTime(value, /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d(?::?\d\d)?)?$/)
        ? value
        : undefined;
    default:
      throw new Error(`column type ${type} is not supported`);
  }
}

const isTime = (value: unknown, form: RegExp): value is string =>
  typeof value === 'string' && form.test(value);
