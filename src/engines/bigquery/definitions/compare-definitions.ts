import { problemAt } from '@querygate/bigquery-sql/problem';
import { z } from 'zod';
import type { SavedQuery, WrittenDefinition } from '../../../catalog/model/saved-query.ts';
import { Slots } from '../../../concurrency/slots.ts';
import type { Problem } from '../../../errors.ts';
import type { Client } from '../api/client.ts';
import { optional } from '../api/wire.ts';
import type { BigqueryOptions } from '../bigquery-options.ts';
import { resourceRequest } from '../api/resource-request.ts';
import { differenceOf } from './sql-difference.ts';

interface CompareContext {
  readonly client: Client;
  readonly options: BigqueryOptions;
  readonly timeoutMs: number;
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/** How the views and functions that queries read differ from BigQuery's, and which ones could not be compared. */
export interface DefinitionDifferences {
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
}

/** The differences where none are looked for. */
export const noDifferences: DefinitionDifferences = { problems: [], notes: [] };

/** Compares the views and functions that saved queries read with those that BigQuery has under their names. */
export async function compareDefinitions(
  queries: readonly SavedQuery[],
  context: CompareContext,
): Promise<DefinitionDifferences> {
  const all = queries.flatMap(({ definitions = [] }) => definitions.map(({ written }) => written));
  const distinct = new Map(all.map((one) => [`${one.kind} ${one.name}`, one]));
  const slots = new Slots(context.concurrency);
  const found = await Promise.all(
    [...distinct.values()].map((one) => slots.run(context.signal, () => compare(one, context))),
  );
  return {
    problems: found.flatMap((one) => (typeof one === 'object' ? one : [])),
    notes: found.flatMap((one) => (typeof one === 'string' ? one : [])),
  };
}

/** @returns its problem, or why it is not known */
async function compare(
  written: WrittenDefinition,
  { client, options, timeoutMs, signal }: CompareContext,
): Promise<Problem | string | undefined> {
  const { kind, name, source, start } = written;
  const shown = `the ${kind} ${name}`;
  const request = resourceRequest(kind === 'view' ? 'tables' : 'routines', name, options);
  try {
    const { status, text } = await client.call(request, { timeoutMs, signal });
    if (status === 404) return problemAt(source.text, source, start, `BigQuery does not have ${shown}`);
    if (status === 401 || status === 403)
      return `${shown} is not compared with BigQuery's: no right to read it`;
    if (status >= 400) return `${shown} is not compared with BigQuery's: status ${status}`;
    const place = placeOfDifference(written, JSON.parse(text));
    if (place === undefined) return undefined;
    return problemAt(source.text, source, place, `${shown} is another one in BigQuery, from here on`);
  } catch (error) {
    signal.throwIfAborted();
    return `${shown} is not compared with BigQuery's: ${(error as Error).message}`;
  }
}

const viewReply = z.object({ query: optional(z.string()) });

const tableReply = z.object({ view: optional(viewReply), materializedView: optional(viewReply) });

interface DataType {
  readonly typeKind: string;
  readonly arrayElementType?: DataType | undefined;
  readonly rangeElementType?: DataType | undefined;
  readonly structType?: { readonly fields: readonly StructField[] } | undefined;
}

interface StructField {
  readonly name?: string | undefined;
  readonly type?: DataType | undefined;
}

const dataType: z.ZodType<DataType> = z.object({
  typeKind: z.string(),
  get arrayElementType() {
    return dataType.optional();
  },
  get rangeElementType() {
    return dataType.optional();
  },
  get structType() {
    return z
      .object({ fields: z.array(z.object({ name: z.string().optional(), type: dataType.optional() })) })
      .optional();
  },
});

const routineReply = z.object({
  definitionBody: z.string(),
  arguments: optional(
    z.array(
      z.object({
        name: z.string().optional(),
        dataType: dataType.optional(),
        isAggregate: optional(z.boolean()),
      }),
    ),
  ),
});

/** The first place of a definition where BigQuery's is another one. */
function placeOfDifference(written: WrittenDefinition, reply: unknown): number | undefined {
  const { kind, sql, code, parameters, start } = written;
  if (kind === 'view') {
    const { view, materializedView } = tableReply.parse(reply);
    const query = (view ?? materializedView)?.query;
    // A table was built from it, as dbt does.
    return query === undefined || sql === undefined ? undefined : differenceOf(sql, query);
  }
  const { definitionBody, arguments: args = [] } = routineReply.parse(reply);
  const declared = args.map(
    ({ name = '', dataType: type, isAggregate }) =>
      `\`${name}\` ${type ? typeText(type) : 'ANY TYPE'}${isAggregate === false ? ' NOT AGGREGATE' : ''}`,
  );
  const ofParameters = parameters && differenceOf(parameters, declared.join(', '));
  if (ofParameters !== undefined) return ofParameters;
  if (sql) return differenceOf(sql, definitionBody);
  return code?.trim() === definitionBody.trim() ? undefined : start;
}

function typeText({ typeKind, arrayElementType, rangeElementType, structType }: DataType): string {
  const element = arrayElementType ?? rangeElementType;
  if (element) return `${typeKind}<${typeText(element)}>`;
  if (!structType) return typeKind;
  const fields = structType.fields.map(({ name, type }) =>
    [...(name ? [`\`${name}\``] : []), ...(type ? [typeText(type)] : [])].join(' '),
  );
  return `STRUCT<${fields.join(', ')}>`;
}
