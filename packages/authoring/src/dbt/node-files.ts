import { parseTableFile, tablesFolder } from 'querygate/catalog';
import { fieldsText } from '../tables/fields-text.ts';
import { fieldsOfColumns } from './column-fields.ts';
import type { DbtNode } from './manifest.ts';

/** The file of a queries folder that a node becomes. */
export interface NodeFile {
  readonly node: DbtNode;
  /** In the folder. */
  readonly path: string;
  readonly text: string;
  /** For the author: what of the node is not in it. */
  readonly note?: string;
}

/** False for the file that declares a table. */
export const isPart = ({ path }: Pick<NodeFile, 'path'>): boolean => !path.startsWith(`${tablesFolder}/`);

/** The file of a node, or why it has none. */
export type MadeFile = NodeFile | { readonly reason: string };

/** A name of a file on every system, and of a table in SQL. */
const plainName = /^[\w-]{1,100}$/;

const nameRule = 'its name must be letters, digits, _ and -, at most 100, as a file has it';

/** The file that declares a node as a table. */
export function tableFile(node: DbtNode): MadeFile {
  const name = node.path.at(-1) ?? '';
  if (name.endsWith('*'))
    return {
      reason: `it is a wildcard: querygate tables add '${name}' <data files that are named after their tables> declares its tables`,
    };
  if (!plainName.test(name)) return { reason: nameRule };
  const { fields, untyped, problems } = fieldsOfColumns(node.columns);
  if (problems.length > 0) return { reason: problems.join('; ') };
  if (fields.length === 0) {
    const rows = node.kind === 'seed' ? node.file : '<data file, or output of bq show>';
    return {
      reason: `none of its columns has a data_type: querygate tables add ${name} ${rows} declares it`,
    };
  }
  const text = `${fieldsText(fields)}\n`;
  const [wrong] = parseTableFile('table.json', { text }).problems;
  if (wrong) return { reason: wrong.message };
  const path = `${tablesFolder}/${name}.json`;
  return untyped.length === 0
    ? { node, path, text }
    : { node, path, text, note: `without a data_type, so not in its table: ${untyped.join(', ')}` };
}

/** How models are materialized that are their SQL: a reader gets the same rows from it. */
const asTheirSql: readonly (string | undefined)[] = ['view', 'table', 'materialized_view', 'ephemeral'];

/** The file that makes a model a part of queries: a view, or, as BigQuery has no relation of it, a query that is not served. */
export function partFile(node: DbtNode): MadeFile {
  const { id, path, name, compiled, materialized } = node;
  if (!node.isSql) return { reason: 'it is written in Python' };
  if (materialized === 'incremental')
    return { reason: 'it is incremental: its SQL may be that of new rows only' };
  if (!asTheirSql.includes(materialized))
    return {
      reason: `it is materialized as ${materialized ?? 'nothing that is known'}, which may be more than its SQL`,
    };
  if (compiled === undefined) return { reason: notCompiled };
  const sql = compiled.replace(/\s*;$/, '');
  if (materialized === 'ephemeral') {
    if (!plainName.test(name)) return { reason: nameRule };
    const described =
      node.description === undefined
        ? ''
        : `description: ${JSON.stringify(node.description).replaceAll('*/', '*\\/')}\n`;
    const text = `/*---\n# ${id} of dbt, by querygate tables import.\nserve: off\n${described}---*/\n${sql}\n`;
    return { node, path: `${name.toLowerCase()}.sql`, text };
  }
  if (path.length === 0 || !path.slice(-2).every((part) => plainName.test(part))) return { reason: nameRule };
  const comments = [`${id} of dbt, by querygate tables import.`, ...(node.description?.split(lineEnd) ?? [])];
  const comment = comments.map((line) => `-- ${line}`.trimEnd()).join('\n');
  const relation = path.join('.').replace(/[\\`]/g, '\\$&');
  const text = `${comment}\nCREATE OR REPLACE VIEW \`${relation}\` AS\n${sql}\n`;
  return { node, path: `views/${path.slice(-2).join('.')}.sql`, text };
}

/** Why a model is no part that dbt has only parsed. */
export const notCompiled = 'it is not compiled: dbt compile writes its SQL';

const lineEnd = /\r\n|[\n\r\u2028\u2029]/;
