import { problem, type SchemaProblem } from '../../files/schema-problems.ts';
import { labelNameProblem, metricNameProblem } from '../../names/prometheus-names.ts';
import type { columnTypes } from '../model/saved-query.ts';
import type { Header } from './header-schema.ts';

type ColumnType = (typeof columnTypes)[number];

const valueTypes: readonly ColumnType[] = ['integer', 'float', 'numeric', 'boolean'];
const labelTypes: readonly ColumnType[] = [
  'string',
  'integer',
  'boolean',
  'timestamp',
  'datetime',
  'date',
  'time',
];

/** Checks the columns and names of `prometheus`. */
export function checkPrometheus({ prometheus, columns }: Header): readonly SchemaProblem[] {
  if (prometheus === undefined) return [];
  const problems: SchemaProblem[] = [];
  const checkColumn = (path: readonly (string | number)[], name: string, types: readonly ColumnType[]) => {
    const column = columns[name];
    if (column === undefined) problems.push(problem(path, `no column is named ${name}`));
    else if (column.repeated || !types.includes(column.type)) {
      problems.push(
        problem(path, `${name} must have one of the types ${types.join(', ')}, and not be repeated`),
      );
    }
  };
  for (const [name, { column, type }] of Object.entries(prometheus.metrics)) {
    checkColumn(['prometheus', 'metrics', name, 'column'], column, valueTypes);
    const wrong = metricNameProblem(name, type);
    if (wrong !== undefined) problems.push(problem(['prometheus', 'metrics', name], wrong));
  }
  for (const [at, name] of prometheus.labels.entries()) {
    const path = ['prometheus', 'labels', at];
    checkColumn(path, name, labelTypes);
    const wrong = labelNameProblem(name);
    if (wrong !== undefined) problems.push(problem(path, wrong));
    if (prometheus.labels.indexOf(name) < at) problems.push(problem(path, `${name} is listed twice`));
  }
  return problems;
}
