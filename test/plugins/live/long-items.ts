export const item = { id: 'a', query: 'counts' };
export const list = (length: number, value: unknown) => Array.from({ length }, () => value);
const manyNames = (value: unknown) =>
  Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [String(at), value]));

/** Bodies of `POST /api/live` with long lists and many names of wrong values. */
export const refused = [
  list(87_000, {}),
  [{ ...item, parameters: { n: list(87_000, []) } }],
  [{ ...item, parameters: { n: list(130_000, 1) } }],
  [{ ...item, parameters: { n: list(1_001, 1) } }],
  [{ ...item, parameters: { n: [[1]] } }],
  [{ ...item, parameters: [1] }],
  [{ ...item, parameters: manyNames(1) }],
  [{ ...item, parameters: manyNames({}) }],
  [{ ...item, ...manyNames(1) }],
  [
    {
      ...item,
      parameters: Object.fromEntries(Array.from({ length: 26_000 }, (_, at) => [`z${at.toString(36)}`, 1])),
    },
  ],
  list(50, { ...item, parameters: { n: list(900, null) } }),
];
