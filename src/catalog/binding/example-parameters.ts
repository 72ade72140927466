import { canonicalText, checkValue } from './check-value.ts';
import { textsOf } from './list-values.ts';
import { resolveDefault } from './times.ts';
import type { Parameter, ParameterText, SavedQuery } from '../model/saved-query.ts';

/**
 * A parameter's example, of today if it is relative; for a required parameter without one, a value of its type. undefined:
 * it can be omitted.
 */
export function exampleValue(parameter: Parameter): ParameterText | undefined {
  const text = parameter.example ?? (parameter.required ? placeholderValue(parameter) : undefined);
  return text === undefined ? undefined : withoutRelative(parameter, text);
}

/** Every parameter of a typical request, as the SQL receives it: the example, else the default, else '' or []. */
export function exampleParameters({ parameters }: SavedQuery): Readonly<Record<string, ParameterText>> {
  return Object.fromEntries(
    parameters.map((parameter) => {
      const { default: text, name, repeated } = parameter;
      const value = exampleValue(parameter) ?? (text && withoutRelative(parameter, text));
      if (value === undefined) return [name, repeated ? [] : ''];
      const texts = textsOf(value).map((one) => canonicalText(parameter, one));
      return [name, repeated ? texts : (texts[0] ?? '')];
    }),
  );
}

function withoutRelative(parameter: Parameter, value: ParameterText): ParameterText {
  const texts = textsOf(value).map(
    (text) => resolveDefault(parameter, text, 'disabled', Date.now())?.text ?? text,
  );
  return typeof value === 'string' ? (texts[0] ?? value) : texts;
}

function placeholderValue(parameter: Parameter): ParameterText {
  const usual = placeholderText(parameter);
  const isAllowed = 'value' in checkValue(parameter, usual, Date.now());
  const text = isAllowed ? usual : (parameter.min ?? parameter.max ?? usual);
  return parameter.repeated ? [text] : text;
}

function placeholderText(parameter: Parameter): string {
  if (parameter.type === 'enum') return parameter.values[0]?.value ?? '';
  return {
    string: 'example',
    pattern: 'example',
    date: '2026-01-31',
    datetime: '2026-01-31T12:00:00',
    timestamp: '2026-01-31T12:00:00Z',
    integer: '1',
    float: '1.5',
    boolean: 'true',
  }[parameter.type];
}
