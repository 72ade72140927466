/** Functions as people write them, with calls and the values that these have, as a session gives them. */
export const sampleFunctions: readonly {
  readonly signature: string;
  readonly code: string;
  readonly calls: readonly (readonly [call: string, value: unknown])[];
}[] = [
  {
    signature: 'url_decode(s STRING) RETURNS STRING',
    code: "if (s === null) return null; try { return decodeURIComponent(s.replace(/\\+/g, ' ')); } catch (e) { return s; }",
    calls: [
      ["url_decode('a%20b+c%C3%A9')", 'a b cé'],
      ["url_decode('100%')", '100%'],
      ['url_decode(NULL)', null],
    ],
  },
  {
    signature: 'url_param(url STRING, name STRING) RETURNS STRING',
    code: "var q = url.split('?')[1]; if (!q) return null; var hit = q.split('#')[0].split('&').map(function (p) { return p.split('='); }).filter(function (p) { return p[0] === name; })[0]; return hit && hit[1];",
    calls: [
      ["url_param('http://x.y/z?a=1&b=2#f', 'b')", '2'],
      ["url_param('http://x.y/z?a=1', 'c')", null],
    ],
  },
  {
    signature: 'url_params(url STRING) RETURNS ARRAY<STRUCT<name STRING, value STRING>>',
    code: "return (url.split('?')[1] || '').split('&').filter(Boolean).map(p => { const [name, value] = p.split('='); return { name, value }; });",
    calls: [
      [
        "url_params('/p?a=1&b')",
        [
          ['a', '1'],
          ['b', null],
        ],
      ],
      ["url_params('/p')", []],
    ],
  },
  {
    signature: 'title_case(s STRING) RETURNS STRING',
    code: 'return s.toLowerCase().replace(/(^|\\s)\\S/g, c => c.toUpperCase());',
    calls: [["title_case('hello wORLD  of sql')", 'Hello World  Of Sql']],
  },
  {
    signature: 'snake_case(s STRING) RETURNS STRING',
    code: "return s.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[\\s-]+/g, '_').toLowerCase();",
    calls: [["snake_case('someHTTPValue of-things')", 'some_httpvalue_of_things']],
  },
  {
    signature: 'camel_case(s STRING) RETURNS STRING',
    code: 'return s.replace(/_+(\\w)/g, (all, c) => c.toUpperCase());',
    calls: [["camel_case('request_start_time')", 'requestStartTime']],
  },
  {
    signature: 'levenshtein_js(a STRING, b STRING) RETURNS INT64',
    code: `let row = Array.from({ length: b.length + 1 }, (_, i) => i);
      for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++)
          next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        row = next;
      }
      return row[b.length];`,
    calls: [
      ["levenshtein_js('kitten', 'sitting')", '3'],
      ["levenshtein_js('', 'abc')", '3'],
    ],
  },
  {
    signature: 'jaccard(a ARRAY<STRING>, b ARRAY<STRING>) RETURNS FLOAT64',
    code: 'const x = new Set(a), y = new Set(b); const both = [...x].filter(v => y.has(v)).length; return both / (x.size + y.size - both);',
    calls: [["jaccard(['a', 'b', 'c'], ['b', 'c', 'd', 'e'])", 0.4]],
  },
  {
    signature: 'median_of(xs ARRAY<FLOAT64>) RETURNS FLOAT64',
    code: 'if (!xs || xs.length === 0) return null; const s = xs.slice().sort((a, b) => a - b); const m = s.length >> 1; return s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2;',
    calls: [
      ['median_of([10.0, 2, 7])', 7],
      ['median_of([1.0, 2, 3, 4])', 2.5],
      ['median_of(CAST([] AS ARRAY<FLOAT64>))', null],
    ],
  },
  {
    signature: 'variance_of(xs ARRAY<FLOAT64>) RETURNS FLOAT64',
    code: 'const mean = xs.reduce((a, b) => a + b, 0) / xs.length; return xs.reduce((a, b) => a + (b - mean) * (b - mean), 0) / xs.length;',
    calls: [['variance_of([2.0, 4, 4, 4, 5, 5, 7, 9])', 4]],
  },
  {
    signature:
      'linear_fit(xs ARRAY<FLOAT64>, ys ARRAY<FLOAT64>) RETURNS STRUCT<slope FLOAT64, intercept FLOAT64>',
    code: 'const n = xs.length, sx = xs.reduce((a, b) => a + b), sy = ys.reduce((a, b) => a + b); let sxy = 0, sxx = 0; for (let i = 0; i < n; i++) { sxy += xs[i] * ys[i]; sxx += xs[i] * xs[i]; } const slope = (n * sxy - sx * sy) / (n * sxx - sx * sx); return { slope, intercept: (sy - slope * sx) / n };',
    calls: [['linear_fit([1.0, 2, 3], [3.0, 5, 7])', [2, 1]]],
  },
  {
    signature: 'clamp(x FLOAT64, low FLOAT64, high FLOAT64) RETURNS FLOAT64',
    code: 'return Math.max(low, Math.min(high, x));',
    calls: [
      ['clamp(15, 0, 10)', 10],
      ['clamp(-0.5, 0, 10)', 0],
    ],
  },
  {
    signature: 'haversine_km(lat1 FLOAT64, lon1 FLOAT64, lat2 FLOAT64, lon2 FLOAT64) RETURNS FLOAT64',
    code: 'const r = d => d * Math.PI / 180; const h = Math.sin(r(lat2 - lat1) / 2) ** 2 + Math.cos(r(lat1)) * Math.cos(r(lat2)) * Math.sin(r(lon2 - lon1) / 2) ** 2; return Math.round(2 * 6371 * Math.asin(Math.sqrt(h)));',
    calls: [['haversine_km(52.52, 13.405, 48.8566, 2.3522)', 877]],
  },
  {
    signature: 'fibonacci(n FLOAT64) RETURNS INT64',
    code: 'let [a, b] = [0, 1]; for (let i = 0; i < n; i++) [a, b] = [b, a + b]; return a;',
    calls: [['fibonacci(50)', '12586269025']],
  },
  {
    signature: 'factorial_text(n FLOAT64) RETURNS STRING',
    code: 'let f = 1n; for (let i = 2n; i <= BigInt(n); i++) f *= i; return f.toString();',
    calls: [['factorial_text(25)', '15511210043330985984000000']],
  },
  {
    signature: 'big_product(a STRING, b STRING) RETURNS INT64',
    code: 'return (BigInt(a) * BigInt(b)).toString();',
    calls: [["big_product('3037000499', '3037000499')", '9223372030926249001']],
  },
  {
    signature: 'to_roman(n FLOAT64) RETURNS STRING',
    code: "let out = ''; for (const [v, s] of [[1000,'M'],[900,'CM'],[500,'D'],[400,'CD'],[100,'C'],[90,'XC'],[50,'L'],[40,'XL'],[10,'X'],[9,'IX'],[5,'V'],[4,'IV'],[1,'I']]) while (n >= v) { out += s; n -= v; } return out;",
    calls: [['to_roman(1994)', 'MCMXCIV']],
  },
  {
    signature: 'from_base(s STRING, base FLOAT64) RETURNS INT64',
    code: 'const n = parseInt(s, base); return isNaN(n) ? null : n;',
    calls: [
      ["from_base('ff', 16)", '255'],
      ["from_base('zz', 10)", null],
    ],
  },
  {
    signature: 'hex_of(n FLOAT64) RETURNS STRING',
    code: "return ('0000' + n.toString(16)).slice(-4);",
    calls: [['hex_of(48879)', 'beef']],
  },
  {
    signature: 'json_pick(j STRING, path STRING) RETURNS STRING',
    code: "try { let v = JSON.parse(j); for (const k of path.split('.')) v = v[k]; return typeof v === 'string' ? v : JSON.stringify(v); } catch (e) { return null; }",
    calls: [
      [`json_pick('{"a":{"b":[1,2]}}', 'a.b')`, '[1,2]'],
      [`json_pick('{"a":', 'a')`, null],
      [`json_pick('{"a":1}', 'b')`, null],
    ],
  },
  {
    signature: 'json_keys_of(j STRING) RETURNS ARRAY<STRING>',
    code: 'return Object.keys(JSON.parse(j)).sort();',
    calls: [[`json_keys_of('{"b":1,"a":{"c":2}}')`, ['a', 'b']]],
  },
  {
    signature: 'json_values_of(j STRING) RETURNS ARRAY<STRUCT<key STRING, number FLOAT64>>',
    code: 'return Object.entries(JSON.parse(j)).map(([key, number]) => ({ key, number }));',
    calls: [
      [
        `json_values_of('{"b":1.5,"a":-2}')`,
        [
          ['b', 1.5],
          ['a', -2],
        ],
      ],
    ],
  },
  {
    signature: 'flatten_json(j STRING) RETURNS STRING',
    code: "const out = {}; (function walk(v, path) { if (v && typeof v === 'object') for (const k of Object.keys(v)) walk(v[k], path ? path + '.' + k : k); else out[path] = v; })(JSON.parse(j), ''); return JSON.stringify(out);",
    calls: [[`flatten_json('{"a":{"b":1,"c":[2,null]}}')`, '{"a.b":1,"a.c.0":2,"a.c.1":null}']],
  },
  {
    signature: 'browser_of(agent STRING) RETURNS STRING',
    code: "const m = /(Firefox|Edg|Chrome|Safari)\\/(\\d+)/.exec(agent || ''); return m ? m[1] + ' ' + m[2] : 'other';",
    calls: [
      ["browser_of('Mozilla/5.0 (X11) Gecko/20100101 Firefox/128.0')", 'Firefox 128'],
      ['browser_of(NULL)', 'other'],
    ],
  },
  {
    signature: 'is_ipv4(s STRING) RETURNS BOOL',
    code: "return s.split('.').length === 4 && s.split('.').every(p => /^\\d{1,3}$/.test(p) && Number(p) < 256);",
    calls: [
      ["is_ipv4('10.0.0.255')", true],
      ["is_ipv4('10.0.0.256')", false],
    ],
  },
  {
    signature: 'ip_number(s STRING) RETURNS INT64',
    code: "return s.split('.').reduce((n, p) => n * 256 + Number(p), 0);",
    calls: [["ip_number('192.168.1.10')", '3232235786']],
  },
  {
    signature: 'mask_email(s STRING) RETURNS STRING',
    code: "return s.replace(/^(.)[^@]*(@.*)$/, '$1***$2');",
    calls: [["mask_email('someone@example.com')", 's***@example.com']],
  },
  {
    signature: 'luhn(s STRING) RETURNS BOOL',
    code: "const d = s.replace(/\\D/g, '').split('').reverse().map(Number); return d.reduce((sum, n, i) => sum + (i % 2 ? (n * 2 > 9 ? n * 2 - 9 : n * 2) : n), 0) % 10 === 0;",
    calls: [
      ["luhn('4539 1488 0343 6467')", true],
      ["luhn('8273 1232 7352 0569')", false],
    ],
  },
  {
    signature: 'checksum(s STRING) RETURNS INT64',
    code: 'let h = 5381; for (const c of s) h = ((h << 5) + h + c.codePointAt(0)) >>> 0; return h;',
    calls: [["checksum('querygate')", '3364782780']],
  },
  {
    signature: 'words_of(s STRING) RETURNS ARRAY<STRING>',
    code: 'return s.toLowerCase().match(/[a-zà-ÿ]+/g) || [];',
    calls: [
      ["words_of('The été, THE end.')", ['the', 'été', 'the', 'end']],
      ["words_of('123')", []],
    ],
  },
  {
    signature: 'word_counts(s STRING) RETURNS ARRAY<STRUCT<word STRING, n INT64>>',
    code: "const n = new Map(); for (const w of s.split(' ')) n.set(w, (n.get(w) || 0) + 1); return [...n].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([word, n]) => ({ word, n }));",
    calls: [
      [
        "word_counts('b a b c a b')",
        [
          ['b', '3'],
          ['a', '2'],
          ['c', '1'],
        ],
      ],
    ],
  },
  {
    signature: 'ngrams(s STRING, n FLOAT64) RETURNS ARRAY<STRING>',
    code: 'return Array.from({ length: Math.max(0, s.length - n + 1) }, (_, i) => s.substr(i, n));',
    calls: [["ngrams('abcd', 3)", ['abc', 'bcd']]],
  },
  {
    signature: 'csv_cells(line STRING) RETURNS ARRAY<STRING>',
    code: `const out = []; let cell = '', quoted = false;
      for (const c of line) {
        if (c === '"') quoted = !quoted;
        else if (c === ',' && !quoted) { out.push(cell); cell = ''; }
        else cell += c;
      }
      return [...out, cell];`,
    calls: [[`csv_cells('a,"b,c",,d')`, ['a', 'b,c', '', 'd']]],
  },
  {
    signature: 'days_between(a DATE, b DATE) RETURNS INT64',
    code: 'return Math.round((b - a) / 86400000);',
    calls: [["days_between(DATE '2024-02-27', DATE '2024-03-01')", '3']],
  },
  {
    signature: 'end_of_month(d DATE) RETURNS DATE',
    code: 'return new Date(Date.UTC(d.getUTCFullYear(), d.getUTCMonth() + 1, 0));',
    calls: [["end_of_month(DATE '2024-02-10')", '2024-02-29']],
  },
  {
    signature: 'hour_of(t TIMESTAMP) RETURNS INT64',
    code: 'return t.getUTCHours();',
    calls: [["hour_of(TIMESTAMP '2024-03-10 13:59:59+00')", '13']],
  },
  {
    signature: 'add_minutes(t TIMESTAMP, n FLOAT64) RETURNS TIMESTAMP',
    code: 'return new Date(t.getTime() + n * 60000);',
    calls: [["add_minutes(TIMESTAMP '2024-02-28 23:50:00+00', 15)", '2024-02-29T00:05:00.000000Z']],
  },
  {
    signature: 'xor_bytes(b BYTES, k FLOAT64) RETURNS STRING',
    code: "const a = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'; let bits = ''; for (const c of b.replace(/=+$/, '')) bits += ('000000' + a.indexOf(c).toString(2)).slice(-6); return (bits.match(/.{8}/g) || []).map(x => (parseInt(x, 2) ^ k).toString(16).padStart(2, '0')).join('');",
    calls: [["xor_bytes(b'\\x01\\xff', 15)", '0ef0']],
  },
  {
    signature: 'first_bytes(b BYTES) RETURNS BYTES',
    code: 'return b.slice(0, 4);',
    calls: [["first_bytes(b'abcdef')", 'YWJj']],
  },
  {
    signature: 'vat(n NUMERIC) RETURNS NUMERIC',
    code: "return typeof n === 'number' ? n * 2 : n;",
    calls: [
      ["vat(NUMERIC '21')", '42'],
      ["vat(NUMERIC '0.1')", '0.1'],
    ],
  },
  {
    signature:
      'merge_defaults(x STRUCT<a FLOAT64, tags ARRAY<STRING>>) RETURNS STRUCT<a FLOAT64, b STRING, tags ARRAY<STRING>>',
    code: "return { b: 'none', ...x, tags: (x.tags || []).concat('end') };",
    calls: [["merge_defaults(STRUCT(1.5, ['t']))", [1.5, 'none', ['t', 'end']]]],
  },
  {
    signature: 'sorted_json(j JSON) RETURNS JSON',
    code: 'return { sum: j.xs.reduce((a, b) => a + b, 0), xs: j.xs.slice().sort((a, b) => a - b) };',
    calls: [[`sorted_json(JSON '{"xs":[3,1,2.5]}')`, '{"sum":6.5,"xs":[1,2.5,3]}']],
  },
];
