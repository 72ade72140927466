/** QuickJS throws null where it cannot make an error. */
export const noError = 'it threw null, or it uses too much memory or too deep a stack';

/**
 * The text that runs in the sandbox before a function: an expression of JavaScript whose value takes a
 * `JavascriptFunction` as JSON, and returns a function that computes rows. Texts are those that DuckDB casts values to,
 * and from; an ARRAY or STRUCT is JSON with such texts.
 *
 * @see BigQuery's documentation of user-defined functions, "Supported JavaScript UDF data types"
 */
export const valueConversions = String.raw`(() => {
'use strict';
const { parse, stringify } = JSON;
const fail = (value, type) => {
  const shown = typeof value === 'string' ? stringify(value) : String(value);
  throw new TypeError('returned ' + shown.slice(0, 100) + ' for ' + type);
};
const noError = '${noError}';
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const bytesOf = (text) => {
  const bytes = [];
  for (let at = 0; at < text.length; at += 1) {
    const isEscape = text[at] === '\\';
    bytes.push(isEscape ? Number('0x' + text.slice(at + 2, at + 4)) : text.charCodeAt(at));
    if (isEscape) at += 3;
  }
  return bytes;
};
const toBase64 = (text) => {
  const bytes = bytesOf(text);
  let out = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const three = (bytes[at] << 16) | ((bytes[at + 1] || 0) << 8) | (bytes[at + 2] || 0);
    out += digits[three >> 18] + digits[(three >> 12) & 63];
    out += at + 1 < bytes.length ? digits[(three >> 6) & 63] : '=';
    out += at + 2 < bytes.length ? digits[three & 63] : '=';
  }
  return out;
};
const escaped = (byte) => '\\x' + (byte + 256).toString(16).slice(1);
const fromBase64 = (value) => {
  if (typeof value !== 'string' || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) fail(value, 'BYTES, which is base64');
  let out = '';
  for (let at = 0; at < value.length; at += 4) {
    const four = [0, 1, 2, 3].map((add) => Math.max(0, digits.indexOf(value[at + add])));
    const three = (four[0] << 18) | (four[1] << 12) | (four[2] << 6) | four[3];
    const count = value[at + 2] === '=' ? 1 : value[at + 3] === '=' ? 2 : 3;
    for (let byte = 0; byte < count; byte += 1)
      out += escaped((three >> (16 - 8 * byte)) & 255);
  }
  return out;
};
const toNumber = (text) => text === 'inf' ? Infinity : text === '-inf' ? -Infinity : Number(text);
const toNumeric = (text) => {
  const plain = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  const number = Number(plain);
  return Number.isInteger(number) && Math.abs(number) <= 2 ** 53 && String(number) === plain ? number : plain;
};
const fromNumber = (value, type) => {
  const number = typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : undefined;
  if (number === undefined || (typeof value === 'string' && Number.isNaN(number) && value !== 'NaN')) fail(value, type);
  return Object.is(number, -0) ? '-0' : Number.isNaN(number) ? 'nan' : number === Infinity ? 'inf' : number === -Infinity ? '-inf' : String(number);
};
const fromInteger = (value) => {
  const isInteger = Number.isInteger(value) || typeof value === 'bigint' || (typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value));
  const integer = isInteger ? BigInt(typeof value === 'string' ? value.trim().replace(/^\+/, '') : value) : undefined;
  if (integer === undefined || BigInt.asIntN(64, integer) !== integer) fail(value, 'INT64');
  return integer.toString();
};
const fromNumeric = (value) => {
  const isText = typeof value === 'string' && /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value);
  if (!isText && !Number.isFinite(value) && typeof value !== 'bigint') fail(value, 'NUMERIC');
  if (Math.abs(Number(value)) > 1e29) fail(value, 'NUMERIC');
  if (typeof value !== 'number') return String(value).trim();
  return Number.isInteger(value) ? BigInt(value).toString() : value.toFixed(9);
};
const dateText = (value, type) => {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) fail(value, type);
  const text = Date.prototype.toISOString.call(value);
  // Other years have a sign.
  if (text.length > 24 || text < '0001') fail(text, type);
  return text;
};
const decoders = {
  STRING: (text) => text,
  FLOAT64: toNumber,
  // The documentation calls INT64 unsupported, but BigQuery takes it and gives its digits.
  INT64: (text) => text,
  BOOL: (text) => text === 'true',
  BYTES: toBase64,
  NUMERIC: toNumeric,
  DATE: (text) => new Date(text),
  TIMESTAMP: (text) => new Date(text.replace(' ', 'T').replace(/(\.\d{3})\d+/, '$1').replace(/\+00$/, 'Z')),
  JSON: (text) => parse(text),
};
const encoders = {
  STRING: (value) => String(value),
  FLOAT64: (value) => fromNumber(value, 'FLOAT64'),
  INT64: fromInteger,
  BOOL: (value) => typeof value === 'boolean' || Number.isFinite(value) ? String(Boolean(value)) : fail(value, 'BOOL'),
  BYTES: fromBase64,
  NUMERIC: fromNumeric,
  DATE: (value) => dateText(value, 'DATE').slice(0, 10),
  TIMESTAMP: (value) => dateText(value, 'TIMESTAMP').replace('Z', '+00'),
  JSON: (value) => stringify(value),
};
// Aggregates have other values of two types.
const aggregateDecoders = { ...decoders, INT64: BigInt, BYTES: (text) => Uint8Array.from(bytesOf(text)) };
const aggregateEncoders = {
  ...encoders,
  BYTES: (value) => value instanceof Uint8Array ? Array.from(value, escaped).join('') : fail(value, 'BYTES, which is an Uint8Array'),
};
const orNull = (convert) => (value) => value === null || value === undefined ? null : convert(value);
const decoder = (type, decoders) => {
  if (typeof type === 'string') return orNull(decoders[type]);
  if (type.element) {
    const decode = decoder(type.element, decoders);
    return orNull((items) => items.map(decode));
  }
  const fields = type.fields.map(([name, of]) => [name, decoder(of, decoders)]);
  return orNull((record) => Object.fromEntries(fields.map(([name, decode]) => [name, decode(record[name])])));
};
const encoder = (type, encoders) => {
  if (typeof type === 'string') return orNull(encoders[type]);
  if (type.element) {
    const encode = encoder(type.element, encoders);
    return orNull((items) => Array.isArray(items) ? Array.from(items, encode) : fail(items, 'ARRAY'));
  }
  const fields = type.fields.map(([name, of]) => [name, encoder(of, encoders)]);
  return orNull((record) => typeof record === 'object' ? Object.fromEntries(fields.map(([name, encode]) => [name, encode(record[name])])) : fail(record, 'STRUCT'));
};
const decodeWith = (parameters, decoders) => {
  const decode = parameters.map(({ type }) => decoder(type, decoders));
  return (args) => {
    for (let at = 0; at < args.length; at += 1) args[at] = decode[at](args[at]);
    return args;
  };
};
const functionOf = ({ parameters, code }) => {
  const compute = new Function(...parameters.map(({ name }) => name), code);
  const decode = decodeWith(parameters, decoders);
  return (args) => compute(...decode(args));
};
// BigQuery merges the states of parts of a group; here a group has one state.
const aggregateOf = ({ parameters }, module) => {
  for (const name of ['initialState', 'aggregate', 'merge', 'finalize'])
    if (typeof module[name] !== 'function') throw new TypeError('it exports no function ' + name);
  const { initialState, aggregate, finalize } = module;
  const decodeRow = decodeWith(parameters.filter(({ ofGroup }) => !ofGroup), aggregateDecoders);
  const decodeGroup = decodeWith(parameters.filter(({ ofGroup }) => ofGroup), aggregateDecoders);
  return ([rows, group]) => {
    decodeGroup(group);
    const state = initialState(...group);
    if (typeof state !== 'object' || state === null) throw new TypeError('initialState returned no object');
    for (const row of rows) aggregate(state, ...decodeRow(row), ...group);
    return finalize(state, ...group);
  };
};
return (definition, module) => {
  const parsed = parse(definition);
  const { returns, isAggregate } = parsed;
  const convert = encoder(returns, isAggregate ? aggregateEncoders : encoders);
  const encode = typeof returns === 'string' ? convert : orNull((value) => stringify(convert(value)));
  const compute = isAggregate ? aggregateOf(parsed, module) : functionOf(parsed);
  let results = [];
  let waiting = 0;
  let failure;
  const explain = (error) => {
    if (failure === undefined) failure = error instanceof Error ? error.name + ': ' + error.message : error === null ? noError : String(error);
  };
  const settle = (promise, row) => {
    waiting += 1;
    promise.then((value) => { results[row] = encode(value); }).catch(explain).then(() => { waiting -= 1; });
  };
  return {
    start(rows) {
      results = [];
      waiting = 0;
      failure = undefined;
      try {
        for (const args of parse(rows)) {
          const value = compute(args);
          if (value instanceof Promise) settle(value, results.push(null) - 1);
          else results.push(encode(value));
        }
      } catch (error) {
        explain(error);
      }
      return this.finish();
    },
    // Promises are settled between the two.
    finish() {
      if (failure !== undefined) return stringify({ failure });
      return stringify(waiting > 0 ? { waiting } : results);
    },
  };
};
})()`;
