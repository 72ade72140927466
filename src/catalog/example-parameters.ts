import type { Parameter, SavedQuery } from './saved-query.ts';

/** A parameter's example; for a required parameter without one, a value of its type. undefined: it can be omitted. */
export function exampleValue(parameter: Parameter): string | undefined {
  return parameter.example ?? (parameter.required ? placeholderValue(parameter) : undefined);
}

/** Every parameter of a typical request, as the SQL receives it: the example, else the default, else ''. */
export function exampleParameters({ parameters }: SavedQuery): Readonly<Record<string, string>> {
  return Object.fromEntries(
    parameters.map((parameter) => [parameter.name, exampleValue(parameter) ?? parameter.default ?? '']),
  );
}

function placeholderValue(parameter: Parameter): string {
  if (parameter.type === 'enum') return parameter.values[0]?.value ?? '';
  return {
    string: 'example',
    pattern: 'example',
    timestamp: '2026-01-31T12:00:00Z',
    integer: '1',
    float: '1.5',
    boolean: 'true',
  }[parameter.type];
}
