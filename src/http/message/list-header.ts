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
