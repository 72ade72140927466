/** A token of RFC 9110. */
const headerName = /^[!#$%&'*+.^_`|~\w-]{1,64}$/;

export const isHeaderName = (text: string): boolean => headerName.test(text);

/**
 * An origin as browsers send it, in lowercase and without its default port; undefined if the text is not an origin.
 */
export function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text.trim());
  const isOrigin = url !== null && /^https?:\/\/[^\s/?#@\\]+$/i.test(text.trim());
  return isOrigin && url.origin !== 'null' ? url.origin : undefined;
}
