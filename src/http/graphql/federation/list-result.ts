import DataLoader from 'dataloader';
import type { ParameterKeyField } from '../../../catalog/model/federation.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { getOrAdd } from '../../../get-or-add.ts';
import { defaultMaxItems } from '../../../catalog/binding/value-limits.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import { valueKind } from '../../../row-arguments/cell-values.ts';
import { allRows } from '../../../row-arguments/row-arguments.ts';
import { rowTask } from '../../../row-arguments/row-task.ts';
import { EndpointRequest } from '../../message/prepared-request.ts';
import type { Context } from '../context.ts';

/** The loaders of one operation, by what they query apart from the list. */
const loadersOf = new WeakMap<Context, Map<string, DataLoader<string, CachedResult>>>();

/**
 * The result of one value of a list, of a run for all values that an operation has for the same field and arguments.
 *
 * @param request of the one value
 * @throws GatewayError as `Context.authorize`, `getResult` and `selectRows` do
 */
export async function listResult(
  request: EndpointRequest,
  list: ParameterKeyField,
  context: Context,
): Promise<CachedResult> {
  const { query, parameters, comparesTenant } = request;
  const [text = ''] = parameters.get(list.parameter) ?? [];
  // Each by itself: a value that the caller may not have must not refuse the others.
  try {
    context.authorize(request);
  } catch (error) {
    throw context.audited(error);
  }
  const others = [...parameters].filter(([name]) => name !== list.parameter);
  const loaders = getOrAdd(loadersOf, context, () => new Map());
  const loader = getOrAdd(loaders, JSON.stringify([query.id, list, others]), () =>
    newLoader(new EndpointRequest(query, new Map(others), comparesTenant), list, context),
  );
  return loader.load(text);
}

/** @param request without the list */
function newLoader(
  { query, parameters, comparesTenant }: EndpointRequest,
  list: ParameterKeyField,
  context: Context,
): DataLoader<string, CachedResult> {
  const get = (texts: readonly string[]) =>
    context.getResult(
      new EndpointRequest(query, new Map([...parameters, [list.parameter, texts]]), comparesTenant),
    );
  const parameter = query.parameters.find(({ name }) => name === list.parameter);
  return new DataLoader<string, CachedResult>(
    async (texts) => {
      // In any order they are the same entities.
      const result = await get(texts.toSorted());
      if (texts.length === 1) return [result];
      // Of some entities, rows may have been cut off.
      if (result.document.metadata.truncated) return Promise.all(texts.map((text) => getOrError(get, text)));
      return Promise.all(texts.map((text) => rowsOf(query, list, result, text, context)));
    },
    { maxBatchSize: parameter?.maxItems ?? defaultMaxItems },
  );
}

async function getOrError(
  get: (texts: readonly string[]) => Promise<CachedResult>,
  text: string,
): Promise<CachedResult | Error> {
  try {
    return await get([text]);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The rows of one value. */
function rowsOf(
  { columns }: SavedQuery,
  { column: name = '' }: ParameterKeyField,
  result: CachedResult,
  text: string,
  context: Context,
): Promise<CachedResult> {
  const type = columns.find((column) => column.name === name)?.type ?? 'string';
  const value = valueKind(type).ofText(text);
  const where =
    value === undefined
      ? ({ kind: 'in', column: name, values: [] } as const)
      : ({ kind: 'eq', column: name, value } as const);
  return context.selectRows(result, rowTask(columns, { ...allRows, where }));
}
