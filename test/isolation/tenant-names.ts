import fc from 'fast-check';

/** Names that look like, begin with, end with or mean something like other names, in some language on the way. */
const hostile = [
  'abc',
  'ab',
  'bc',
  'a',
  'abcd',
  'abc-other',
  'abc.d',
  'abc.example.co',
  'x.abc',
  'x@abc',
  'abc@x',
  'abc:80',
  'abc/d',
  'abc?d',
  'abc#d',
  'abc\\d',
  'abc~d',
  'abc%d',
  'abc%2Ed',
  'abc%00',
  'abc+d',
  'abc d',
  ' abc',
  'abc ',
  'ABC',
  'Abc',
  'abc\u200b',
  '\ufeffabc',
  'аbc',
  'ａｂｃ',
  'İ',
  'i',
  'I',
  'ı',
  'ß',
  'ss',
  'ſ',
  's',
  'K',
  'K',
  'k',
  'é',
  'e\u0301',
  'Å',
  'Å',
  '👍',
  '👍🏽',
  '.*',
  '.',
  'a|b',
  'a.c',
  '^abc$',
  '(?i)abc',
  '[a-z]+',
  '\\Qabc\\E',
  '\\E|.*|\\Q',
  '$&',
  '$1',
  '\\1',
  'a{3}',
  '%',
  '_bc',
  'a_c',
  "' or '1'='1",
  "abc' --",
  "'; drop table edge_logs; --",
  'abc"',
  '"abc"',
  '`abc`',
  'abc\\',
  "abc\\'",
  '@who',
  '$who',
  ':who',
  '?',
  '["abc"]',
  '{"abc":1}',
  '{project}',
  '{host}',
  'abc","rows":[{"id":"x"}],"a":"',
  'abc") { rows { id } } x: ownOfAll { rows { id } } #',
  '$p',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'NULL',
  'undefined',
  'true',
  '0',
  '1e3',
  '-0',
  'all',
  'never',
  '*',
  '**',
  '\u202ecba',
  'abc\u00a0',
  'abc&who=x',
  'abc;who=x',
  'abc,x',
  '<script>alert(1)</script>',
  `$\{jndi:ldap://x}`,
  '../abc',
  'abc\ud7ff',
  'x'.repeat(200),
] as const;

/** Names that a key cannot be bound to, but rows and callers may have. */
export const unbindable = [
  '',
  'abc\n',
  'abc\r\nx-a: b',
  'abc\t',
  '\u0085',
  'y'.repeat(201),
  'y'.repeat(3_000),
] as const;

/** Distinct names of a world, `abc` among them, some made from others. */
export const tenantNames = fc
  .record({
    picked: fc.uniqueArray(fc.constantFrom(...hostile), { minLength: 14, maxLength: 18 }),
    random: fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), {
      minLength: 4,
      maxLength: 4,
    }),
    changes: fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 6, maxLength: 6 }),
  })
  .map(({ picked, random, changes }) => {
    const names = ['abc', ...picked, ...random.filter(isBindable)];
    const changed = changes
      .map(([at, how]) => change(names[at % names.length] ?? '', how))
      .filter(isBindable);
    return [...new Set([...names, ...changed])];
  });

/** Whether a key file may bind a key to it. */
export function isBindable(name: string): boolean {
  return name !== '' && name.length <= 200 && !/\p{Cc}/u.test(name) && name.isWellFormed();
}

const changes: readonly ((name: string) => string)[] = [
  (name) => `${name}x`,
  (name) => `x${name}`,
  (name) => name.slice(0, -1),
  (name) => name.slice(1),
  (name) => name.toUpperCase(),
  (name) => name.toLowerCase(),
  (name) => name.normalize('NFKC'),
  (name) => name.normalize('NFD'),
  (name) => `${name} `,
  (name) => ` ${name}`,
  (name) => `${name}.x`,
  (name) => `x.${name}`,
  (name) => encodeURIComponent(toWellFormed(name)),
  (name) => `"${name}"`,
  (name) => `['${name}']`,
  (name) => `${name}|.*`,
  (name) => `^${name}`,
  (name) => `${name}\0`,
  (name) => `${name}\n`,
  (name) => name + name,
  (name) => `${name}' or '1'='1`,
  (name) => [...name].reverse().join(''),
  (name) => `${name}\ud800`,
];

/** Another name, near the given one; sometimes one that nobody can have. */
export function change(name: string, how: number): string {
  return changes[how % changes.length]?.(name) ?? name;
}

function toWellFormed(text: string): string {
  return text.toWellFormed();
}
