/** The beginning of a text as a message shows it: at most so many characters, and an ellipsis if there are more. */
export const shorten = (text: string, most = 60): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;

/** The same in quotes, with what JSON escapes. */
export const quoteShort = (text: string, most = 60): string => JSON.stringify(shorten(text, most));

/** The first of some names, in at most so many characters, and an ellipsis if there are more. */
export function listShort(names: readonly string[], most = 300): string {
  let length = 0;
  const shown = names.filter((name) => {
    length += name.length + 2;
    return length <= most;
  });
  return [...shown, ...(shown.length < names.length ? ['…'] : [])].join(', ');
}
