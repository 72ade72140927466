import type { Parameter, SavedQuery } from './saved-query.ts';

/** A parameter's example; where it has none and must be given, a blank to fill in. undefined: it may be left out. */
export function exampleValue(parameter: Parameter): string | undefined {
  return parameter.example ?? (parameter.required ? blank(parameter) : undefined);
}

/** Every parameter of a typical question, as the SQL receives it: the example, else the default, else ''. */
export function exampleParameters({ parameters }: SavedQuery): Readonly<Record<string, string>> {
  return Object.fromEntries(
    parameters.map((parameter) => [parameter.name, exampleValue(parameter) ?? parameter.default ?? '']),
  );
}

function blank(parameter: Parameter): string {
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
