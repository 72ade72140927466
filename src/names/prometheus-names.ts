/** A metric's name, and how a message says it. */
export const metricName = /^[a-z_:][a-z0-9_:]*$/i;
export const metricNameRule = 'must be letters, digits, _ and :, not starting with a digit';

/** As promtool requires: rules and dashboards recognize the type of a metric by its name. */
export function metricNameProblem(name: string, type: 'gauge' | 'counter'): string | undefined {
  if (name.endsWith('_total') === (type === 'counter')) return undefined;
  return type === 'counter' ? 'a counter must end in _total' : 'only a counter may end in _total';
}

export const labelName = /^[a-z_][a-z0-9_]*$/i;

export const labelNameProblem = (name: string): string | undefined =>
  name.startsWith('__') ? `${name}: names that begin with __ belong to Prometheus` : undefined;
