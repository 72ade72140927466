/** The beginning of a text as a message shows it: at most so many characters, and an ellipsis if there are more. */
export const shorten = (text: string, most = 60): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;

/** The same in quotes, with what JSON escapes. */
export const quoteShort = (text: string, most = 60): string => JSON.stringify(shorten(text, most));
