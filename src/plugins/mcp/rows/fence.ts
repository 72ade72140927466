import { createHmac, randomBytes } from 'node:crypto';

/** Marks follow from it, so that no text in a row can be made to contain one. */
const secret = randomBytes(32);

/** Marks of the beginning and the end of data. They are the same for the same rows: equal answers are cached by models. */
export function fence(digest: string): (name: string, text: string) => string {
  const mark = createHmac('sha256', secret).update(digest).digest('hex').slice(0, 12);
  return (name, text) => `<${name}-${mark}>\n${text}</${name}-${mark}>`;
}
