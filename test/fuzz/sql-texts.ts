import { randomQuery } from '../../packages/bigquery-sql/test/passes/random-queries.ts';
import type { Random } from '../../packages/bigquery-sql/test/support/random.ts';

/**
 * The SQL of a caller over the tables of test/engines/sandbox: subqueries that are correlated over several levels, arrays, and
 * functions whose results can be long.
 */
export function callerText(random: Random): string {
  if (random.percent(15)) return randomQuery((count) => random.below(count));
  return new Texts(random).statement();
}

/** The names that an expression may use, innermost last. */
interface Scope {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
  readonly arrays: readonly string[];
}

const outside: Scope = { texts: [], numbers: [], arrays: [] };

const textLiterals = [
  "''",
  "'a'",
  "'1'",
  "'a,b'",
  "'%a%'",
  "'\\t'",
  "'ß'",
  '\'{"a":[1,null]}\'',
  "'2024-03-10'",
  '@tenant',
  'cast(null as string)',
] as const;
const smallNumbers = ['0', '1', '-1', '2', '3', '7', 'cast(null as int64)'] as const;
/** They make long texts, which take long: few of them are enough. */
const largeNumbers = ['1000', '100000', '1000001', '9223372036854775807'] as const;
const formats = ['%d', '%5d', '%*d', '%x', '%t', '%T', '%s', '%-7s', '%.*s', '%100000s', '%i'] as const;

const oneText = [
  'lower',
  'upper',
  'initcap',
  'reverse',
  'trim',
  'to_hex',
  'soundex',
  'normalize',
  'md5',
  'sha512',
];
const twoTexts = [
  'concat',
  'starts_with',
  'strpos',
  'edit_distance',
  'regexp_contains',
  'regexp_extract',
  'split',
];

class Texts {
  readonly #random: Random;
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  statement(): string {
    const tables = this.#random.some(2, () => {
      const name = this.#name();
      return `${name} as (${this.#tableQuery(3)})`;
    });
    const prefix = tables.length === 0 ? '' : `with ${tables.join(', ')} `;
    return `${prefix}select ${this.#random.one(['count(*)', 'max(v)', 'string_agg(v)', 'to_json_string(array_agg(v))'])} as n from (${this.#tableQuery(4)})`;
  }

  #name(): string {
    this.#names += 1;
    return `t${this.#names}`;
  }

  /** A query with the one column `v`, a text. */
  #tableQuery(depth: number, around: Scope = outside): string {
    const { from, scope } = this.#from(depth, around);
    const value = this.#text(depth - 1, scope);
    const where = this.#random.percent(60) ? ` where ${this.#condition(depth - 1, scope)}` : '';
    const limit = this.#random.percent(15) ? ` order by 1 limit ${this.#random.below(5)}` : '';
    if (this.#random.percent(12)) {
      const key = this.#text(0, scope);
      return `select max(v) as v from (select ${value} as v, ${key} as k from ${from}${where}) group by k`;
    }
    return `select ${value} as v from ${from}${where}${limit}`;
  }

  #from(depth: number, around: Scope): { readonly from: string; readonly scope: Scope } {
    const name = this.#name();
    const own = (texts: string[], numbers: string[], arrays: string[]): Scope => ({
      texts: [...around.texts, ...texts],
      numbers: [...around.numbers, ...numbers],
      arrays: [...around.arrays, ...arrays],
    });
    switch (this.#random.below(around.arrays.length === 0 ? 4 : 8)) {
      case 0:
        return {
          from: `events ${name}`,
          scope: own([`${name}.detail.kind`], [`${name}.id`], []),
        };
      case 1:
        return {
          from: `projects ${name}`,
          scope: own([`${name}.project`, `${name}.tier`], [], []),
        };
      case 2:
        if (depth > 1)
          return {
            from: `(${this.#tableQuery(depth - 1)}) ${name}`,
            scope: own([`${name}.v`], [], []),
          };
        break;
      case 3: {
        const element = this.#name();
        return {
          from: `logs ${name}, unnest(${this.#random.percent(50) ? `${name}.tags` : `split(${name}.project, '1')`}) ${element}`,
          scope: own([`${name}.project`, element], [`${name}.id`], [`${name}.tags`]),
        };
      }
      case 4:
      case 5:
        return {
          from: `unnest(${this.#array(depth - 1, around)}) ${name}`,
          scope: own([name], [], []),
        };
      default:
    }
    return { from: `logs ${name}`, scope: own([`${name}.project`], [`${name}.id`], [`${name}.tags`]) };
  }

  #text(depth: number, scope: Scope): string {
    const random = this.#random;
    if (depth <= 0) return this.#textLeaf(scope);
    const text = () => this.#text(depth - 1, scope);
    const number = () => this.#number(depth - 1, scope);
    switch (random.below(22)) {
      case 0:
      case 1:
      case 2:
        return `(select max(v) from (${this.#correlated(depth, scope)}))`;
      case 3:
        return `(select v from (${this.#correlated(depth, scope)}) limit 1)`;
      case 4:
        return `(select string_agg(v, ${this.#random.one(["','", "''", '@tenant'])}) from (${this.#correlated(depth, scope)}))`;
      case 5: {
        const name = random.one(oneText as [string]);
        const inner = `${name}(${text()})`;
        return ['md5', 'sha512'].includes(name)
          ? `to_hex(${inner})`
          : name === 'to_hex'
            ? `to_hex(cast(${text()} as bytes))`
            : inner;
      }
      case 6:
        return `cast(${random.one(twoTexts as [string])}(${text()}, ${text()}) as string)`.replace(
          /^cast\((split\(.*\)) as string\)$/,
          'array_to_string($1, "-")',
        );
      case 7:
        return `repeat(${text()}, ${number()})`;
      case 8:
        return `${random.one(['lpad', 'rpad'])}(${text()}, ${number()}, ${text()})`;
      case 9:
        return `replace(${text()}, ${text()}, ${text()})`;
      case 10:
        return `regexp_replace(${text()}, ${random.one([text(), "'(a|b)'", "'.*'", "''"])}, ${random.one([text(), "'\\\\0\\\\0'"])})`;
      case 11:
        return this.#format(depth, scope);
      case 12:
        return `array_to_string(${this.#array(depth - 1, scope)}, ${text()})`;
      case 13:
        return `translate(${text()}, ${random.one(["'ab'", text()])}, ${text()})`;
      case 14:
        return `if(${this.#condition(depth - 1, scope)}, ${text()}, ${text()})`;
      case 15:
        return `concat(${text()}, ${text()}, ${text()})`;
      case 16:
        return `${text()} || ${text()}`;
      case 17:
        return `to_json_string(${random.one([text(), `struct(${text()} as a, ${number()} as b)`, this.#array(depth - 1, scope)])})`;
      case 18:
        return `substr(${text()}, ${number()}, ${number()})`;
      case 19:
        return `coalesce(${text()}, ${text()})`;
      case 20:
        return `cast(${number()} as string)`;
      default:
        return `json_value(${text()}, '$.a')`;
    }
  }

  #textLeaf({ texts }: Scope): string {
    const { percent, one } = this.#random;
    const [first, ...rest] = texts;
    if (first === undefined || percent(25)) return one(textLiterals);
    // Names of the outermost queries as often as those of the innermost.
    return one([first, ...rest]);
  }

  #correlated(depth: number, scope: Scope): string {
    return this.#tableQuery(depth - 1, scope);
  }

  #format(depth: number, scope: Scope): string {
    const specifiers = [this.#random.one(formats), ...this.#random.some(2, () => this.#random.one(formats))];
    const args = specifiers.flatMap((specifier) => [
      ...(specifier.includes('*') ? [this.#number(depth - 1, scope)] : []),
      /[dxi]$/.test(specifier) ? this.#number(depth - 1, scope) : this.#text(depth - 1, scope),
    ]);
    return `format('${specifiers.join('')}', ${args.join(', ')})`;
  }

  #number(depth: number, scope: Scope): string {
    const random = this.#random;
    if (depth <= 0) {
      const [first, ...rest] = scope.numbers;
      return first === undefined || random.percent(40)
        ? random.one(random.percent(4) ? largeNumbers : smallNumbers)
        : random.one([first, ...rest]);
    }
    switch (random.below(9)) {
      case 0:
        return `length(${this.#text(depth - 1, scope)})`;
      case 1:
        return `(select count(*) from (${this.#correlated(depth, scope)}))`;
      case 2:
        return `(${this.#number(depth - 1, scope)} + ${this.#number(depth - 1, scope)})`;
      case 3:
        return `mod(farm_fingerprint(${this.#text(depth - 1, scope)}), 50)`;
      case 4:
        return `safe_cast(${this.#text(depth - 1, scope)} as int64)`;
      case 5:
        return `array_length(${this.#array(depth - 1, scope)})`;
      case 6:
        return `edit_distance(${this.#text(depth - 1, scope)}, ${this.#text(depth - 1, scope)})`;
      default:
        return this.#number(0, scope);
    }
  }

  #array(depth: number, scope: Scope): string {
    const random = this.#random;
    const [first, ...rest] = scope.arrays;
    if (depth <= 0) return first === undefined ? "['a', '1b']" : random.one([first, ...rest]);
    switch (random.below(7)) {
      case 0:
        return `[${this.#text(depth - 1, scope)}, ${this.#text(depth - 1, scope)}]`;
      case 1:
      case 2:
        return `array(${this.#correlated(depth, scope)})`;
      case 3:
        return `split(${this.#text(depth - 1, scope)}, ${random.one(["'1'", "','", this.#text(depth - 1, scope)])})`;
      case 4:
        return `regexp_extract_all(${this.#text(depth - 1, scope)}, ${random.one(["'.'", "'[a-z]+'", this.#text(depth - 1, scope)])})`;
      case 5:
        return `array_concat(${this.#array(depth - 1, scope)}, ${this.#array(depth - 1, scope)})`;
      default:
        return `array_reverse(${this.#array(depth - 1, scope)})`;
    }
  }

  #condition(depth: number, scope: Scope): string {
    const random = this.#random;
    const text = () => this.#text(depth - 1, scope);
    switch (random.below(depth <= 0 ? 3 : 9)) {
      case 0:
        return `${text()} = ${text()}`;
      case 1:
        return `${text()} is not null`;
      case 2:
        return `${text()} like ${random.one(["'%a%'", text()])}`;
      case 3:
      case 4:
        return `${random.one(['', 'not '])}exists(${this.#correlated(depth, scope)})`;
      case 5:
        return `${text()} in (${this.#correlated(depth, scope)})`;
      case 6:
        return `${text()} in unnest(${this.#array(depth - 1, scope)})`;
      case 7:
        return `(${this.#condition(depth - 1, scope)} or ${this.#condition(depth - 1, scope)})`;
      default:
        return `${this.#number(depth - 1, scope)} > ${this.#number(depth - 1, scope)}`;
    }
  }
}
