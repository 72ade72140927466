/** A value of Go as it is written in a test: of a composite value the elements, those with keys as pairs. */
export type GoValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly GoValue[] }
  | { readonly kind: 'list'; readonly items: readonly GoValue[]; readonly pairs: readonly GoPair[] };

interface GoPair {
  readonly key: GoValue;
  readonly value: GoValue;
}

/** `// …`, a raw text, a text, a number, a name, or another character. */
const token = /\/\/[^\n]*|`[^`]*`|"(?:\\.|[^"\\])*"|\d[\w.]*(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\S/g;

/** Every composite value of a Go file that begins with a field of this name: `{name: …}`. */
export function goValuesWith(field: string, source: string): readonly GoValue[] {
  const tokens = (source.match(token) ?? []).filter((text) => !text.startsWith('//'));
  return tokens.flatMap((text, at) => {
    if (text !== '{' || tokens[at + 1] !== field || tokens[at + 2] !== ':') return [];
    return [new Reader(tokens, at).value()];
  });
}

/** The value of a field of a composite value. */
export const goField = (value: GoValue, name: string): GoValue | undefined =>
  value.kind === 'list'
    ? value.pairs.find(({ key }) => key.kind === 'name' && key.name === name)?.value
    : undefined;

class Reader {
  readonly #tokens: readonly string[];
  #at: number;

  constructor(tokens: readonly string[], at: number) {
    this.#tokens = tokens;
    this.#at = at;
  }

  value(): GoValue {
    let value = this.#operand();
    while (this.#accept('+')) value = joined(value, this.#operand());
    return value;
  }

  #operand(): GoValue {
    const text = this.#next();
    if (text === '{') return this.#composite();
    if (text === '-') return negative(this.#operand());
    if (text === '[' || text === 'map') {
      this.#typeAfter(text);
      return this.#accept('(') ? { kind: 'call', name: 'bytes', args: this.#values(')') } : this.#operand();
    }
    if (text.startsWith('`')) return { kind: 'text', text: text.slice(1, -1) };
    if (text.startsWith('"')) return { kind: 'text', text: unescaped(text.slice(1, -1)) };
    if (/^\d/.test(text)) return { kind: 'number', text };
    let name = text;
    while (this.#accept('.')) name += `.${this.#next()}`;
    if (this.#accept('(')) return { kind: 'call', name, args: this.#values(')') };
    return this.#accept('{') ? this.#composite() : { kind: 'name', name };
  }

  #composite(): GoValue {
    const items: GoValue[] = [];
    const pairs: GoPair[] = [];
    while (!this.#accept('}')) {
      const first = this.value();
      if (this.#accept(':')) pairs.push({ key: first, value: this.value() });
      else items.push(first);
      this.#accept(',');
    }
    return { kind: 'list', items, pairs };
  }

  #values(end: string): readonly GoValue[] {
    const values: GoValue[] = [];
    while (!this.#accept(end)) {
      values.push(this.value());
      this.#accept(',');
    }
    return values;
  }

  /** What follows `[` or `map` in a type such as `[][]interface{}`. */
  #typeAfter(start: string): void {
    if (start === 'map') {
      this.#next();
      this.#type();
    }
    this.#next();
    this.#type();
  }

  #type(): void {
    const text = this.#next();
    if (text === '[' || text === 'map') this.#typeAfter(text);
    if (text !== 'interface') return;
    this.#next();
    this.#next();
  }

  #accept(text: string): boolean {
    if (this.#tokens[this.#at] !== text) return false;
    this.#at += 1;
    return true;
  }

  #next(): string {
    const text = this.#tokens[this.#at];
    if (text === undefined) throw new Error('the Go file ends within a value');
    this.#at += 1;
    return text;
  }
}

const joined = (a: GoValue, b: GoValue): GoValue =>
  a.kind === 'text' && b.kind === 'text'
    ? { kind: 'text', text: a.text + b.text }
    : { kind: 'call', name: '+', args: [a, b] };

const negative = (value: GoValue): GoValue =>
  value.kind === 'number'
    ? { kind: 'number', text: `-${value.text}` }
    : { kind: 'call', name: '-', args: [value] };

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

const unescaped = (text: string): string =>
  text.replace(/\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)/gi, (_, code: string) =>
    code.length > 1 ? String.fromCodePoint(Number.parseInt(code.slice(1), 16)) : (escapes[code] ?? code),
  );
