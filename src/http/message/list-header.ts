import { httpLimits } from './http-limits.ts';

/** The elements of a header that is a list, as `Accept` is. @see RFC 9110, 5.6.1 */
export function elementsOf(list: string): readonly string[] {
  return list.split(',', httpLimits.maxHeaderElements);
}

/** An element as its value and its parameters, all in lower case. @see RFC 9110, 5.6.6 */
export function partsOf(element: string): readonly [value: string, ...parameters: string[]] {
  const [value = '', ...parameters] = element
    .split(';', 1 + httpLimits.maxElementParameters)
    .map((part) => part.trim().toLowerCase());
  return [value, ...parameters];
}

/** The value of a parameter of an element, without quotes. */
export const parameterOf = (parameters: readonly string[], name: string): string | undefined =>
  parameters
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1)
    .replaceAll('"', '');

/** How much a caller wants an element: 0 for not at all, which is also said by what is not a number. @see RFC 9110, 12.4.2 */
export function weightOf(parameters: readonly string[]): number {
  const weight = Number(parameterOf(parameters, 'q') ?? 1);
  return Number.isNaN(weight) ? 0 : weight;
}

/** True if the parameters of a media type name UTF-8, in either spelling, or no charset. */
export const isInUtf8 = (parameters: readonly string[]): boolean =>
  parameters.every((one) => !/^charset\s*=/.test(one) || /^charset\s*=\s*"?utf-?8"?$/.test(one));
