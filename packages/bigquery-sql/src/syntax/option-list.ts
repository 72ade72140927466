import type { Option } from './nodes.ts';
import type { Parser } from './parser.ts';

/** `OPTIONS (name = value, …)`, if it comes next. */
export function parseOptions(p: Parser): readonly Option[] {
  if (!p.accept('OPTIONS')) return [];
  p.expect('(');
  const options = p.at(')') ? [] : p.list(() => parseOption(p));
  p.close();
  return options;
}

function parseOption(p: Parser): Option {
  const name = p.name('the name of an option');
  p.expect('=');
  const value = p.expression();
  return { kind: 'Option', start: name.start, end: p.end, name, value };
}
