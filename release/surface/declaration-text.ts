import { readFileSync } from 'node:fs';

/**
 * The declaration of an exported name as one line, without comments and without the bodies of functions: what changes for
 * those who import it.
 *
 * @param place as in `src/errors.ts: GatewayError`
 */
export function declarationText(place: string): string {
  const [file = '', name = ''] = place.split(': ');
  const text = readFileSync(file, 'utf8').replace(/^[ \t]*\/\*[\s\S]*?\*\/\s*?\n|(?<=\s)\/\/.*$/gm, '');
  const start = new RegExp(
    `^export (?:declare |abstract |async )*(?:function\\*?|const|class|interface|type) ${name}\\b`,
    'm',
  ).exec(text);
  if (start === null) return '';
  const rest = text.slice(start.index);
  const [, keyword = ''] =
    /^export (?:declare |abstract |async )*(function|const|class|interface|type)/.exec(rest) ?? [];
  return endOf[keyword as Keyword](rest)
    .replace(/\s+/g, ' ')
    .replace(/^export /, '')
    .trim();
}

type Keyword = 'function' | 'const' | 'class' | 'interface' | 'type';

/** A closing bracket at the beginning of a line ends a declaration: the formatter indents everything else. */
const toBracket = (text: string): string => /^.*\{\}$|^[\s\S]*?^\}/m.exec(text)?.[0] ?? text;

const endOf: Readonly<Record<Keyword, (text: string) => string>> = {
  interface: toBracket,
  type: (text) => /^[\s\S]*?;$/m.exec(text)?.[0] ?? text,
  function: (text) => beforeBody(text),
  // The type that is written, or the head of a function.
  const: (text) => /^(?:[^=]|=>)*?(?= =(?!>))/.exec(text)?.[0].concat(arrowHead(text)) ?? '',
  class: (text) => membersOf(toBracket(text)),
};

/** A function up to its body, which begins with a bracket at the end of a line after the list of parameters. */
function beforeBody(text: string): string {
  let depth = 0;
  for (let at = text.indexOf('('); at < text.length; at += 1) {
    if ('([{<'.includes(text[at] ?? '') && !(depth === 0 && /^\{\n/.test(text.slice(at, at + 2)))) depth += 1;
    else if (depth === 0 && text[at] === '{') return text.slice(0, at);
    else if (')]}>'.includes(text[at] ?? '') && text.slice(at - 1, at + 1) !== '=>') depth -= 1;
  }
  return text;
}

/** Of `const x = (a: A): B => …`, the parameters and the type of the result. */
function arrowHead(text: string): string {
  const [, head = ''] =
    /^export const \w+(?:: [^=]*)? = ((?:async )?(?:<[^>]*>)?\([\s\S]*?\)(?:: [^=]*?)?) =>/.exec(text) ?? [];
  return head === '' ? '' : ` = ${head}`;
}

/** The public members of a class, without bodies. */
const membersOf = (text: string): string =>
  text
    .split('\n')
    .filter((line, at) => at === 0 || (/^ {2}\S/.test(line) && !/^ {2}(?:#|private |[)}\]])/.test(line)))
    .map((line) => line.replace(/ \{$/, '').replace(/ = .*;$/, ''))
    .join('\n');
