import { parseSearchQuery } from '../../../macros/host/search.ts';
import { boolLiteral, literal, or, transformList } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { arrayOf, isScalar, scalar } from '../../../types.ts';
import { bindValues } from '../../bind-values.ts';
import { convert, distance } from '../../coercion.ts';
import { containsValue } from '../../expressions/comparison.ts';
import { dependsOnRows } from '../../expressions/constant-values.ts';
import { callMacro } from '../../macro-call.ts';
import { fieldValues } from '../../struct-value.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import type { SpecialFunction } from '../special-function.ts';

const [string, bool] = [scalar('STRING'), scalar('BOOL')];

/** Of JSON, which is refused; texts have none of its keys. */
const scopes: readonly unknown[] = ['JSON_VALUES', 'JSON_KEYS', 'JSON_KEYS_AND_VALUES'];

/** SEARCH(data, query): whether one text of a value has all terms of a search query, as LOG_ANALYZER reads them. */
export const search: SpecialFunction = (place, [data, query, scope, analyzer, option]) => {
  if (!data || !query || distance(query, string) === undefined)
    throw new Unsupported(place, 'SEARCH takes a value and a STRING');
  if (option || (analyzer && !(analyzer.kind === 'literal' && analyzer.value === 'LOG_ANALYZER')))
    throw new Unsupported(place, 'SEARCH is supported with LOG_ANALYZER and its default options');
  if (scope && !(scope.kind === 'literal' && scopes.includes(scope.value)))
    throw new Unsupported(place, `json_scope of SEARCH is one of ${scopes.join(', ')}`);
  if (dependsOnRows(query))
    throw new Unsupported(place, 'the search query of SEARCH must be the same for all rows');
  if (query.kind === 'literal') requireQuery(place, query.value);
  return searchIn(place, data, convert(query, string));
};

function requireQuery(place: Place, text: unknown): void {
  if (typeof text !== 'string') throw new Unsupported(place, 'SEARCH: the search query is NULL');
  try {
    parseSearchQuery(text);
  } catch (error) {
    throw new Unsupported(place, error instanceof Error ? error.message : String(error));
  }
}

function searchIn(place: Place, data: Expression, query: Expression): Expression {
  const { type } = data;
  if (type.kind === 'array') {
    const tests = transformList(data, type.element, (item) => searchIn(place, item, query), arrayOf(bool));
    return containsValue(boolLiteral(true), tests);
  }
  if (type.kind === 'struct')
    return bindValues([data], (struct = data) =>
      or(fieldValues(struct).map(({ value }) => searchIn(place, value, query))),
    );
  if (type.kind === 'null') return literal(bool, null);
  if (isScalar(type, 'JSON')) throw new Unsupported(place, 'SEARCH of JSON is not supported');
  if (isScalar(type, 'STRING') || type.kind === 'unknown') return callMacro(place, 'search', [data, query]);
  return boolLiteral(false);
}
