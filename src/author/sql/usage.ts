/** The text after the options in the help of `querygate sql`. */
export const sqlUsage = `
Runs statements separated by semicolons as the gateway would run a saved query; without a statement or a file, those of
standard input. One that fails does not stop the others. Of a *.json file, each text in its array runs, or each member sql of
the objects in it. The TYPE of a parameter is STRING as in saved queries, or INT64, FLOAT64, NUMERIC, BIGNUMERIC, BOOL, BYTES,
DATE, TIME, DATETIME, TIMESTAMP, INTERVAL, JSON. One that is given several times is an ARRAY: -p status:INT64=200
-p status:INT64=404; a list of one value, or of none, has the type ARRAY: -p 'status:ARRAY<INT64>='. Exits with 1 if a
statement failed, with 2 if the command line or the data has problems.

JSON: {"statement":1,"columns":[{"name","type"},…],"rows":[[…],…]}, with "truncated":true if there were more rows; or
{"statement":1,"error":{"stage","message","line","column"}}, with "more":[{"message","line","column"},…] if there are
several problems. stage is "refused" (wrong or unsupported, did not run), "run time" (values, or the time-out; the place is
where the statement begins) or "crash" (a defect of Querygate). With --explain: {"statement":1,"explain":{"generic",
"custom","passes":[{"name","effect"}]}}. type is BigQuery's, as in ARRAY<STRUCT<id INT64, STRING>>. Rows are arrays, so that
columns may have equal names. Values lose nothing:

INT64                  string of digits: "9007199254740993"
NUMERIC, BIGNUMERIC    string of digits, without trailing zeros of the fraction: "1.5"
FLOAT64                number with all its digits; "NaN", "Infinity" and "-Infinity" are strings
BOOL, STRING, NULL     as in JSON
BYTES                  string in base64
DATE                   "2024-01-31"
TIME                   "12:34:56.000000", always with microseconds
DATETIME               "2024-01-31T12:34:56.000000"
TIMESTAMP              "2024-01-31T12:34:56.000000Z", in UTC
INTERVAL               as CAST(… AS STRING): "1-2 3 4:5:6.789"
JSON                   string with the JSON text, so that JSON 'null' differs from NULL
RANGE                  "[2024-01-01, UNBOUNDED)"
ARRAY                  array of values
STRUCT                 array of the values of its fields; their names, which may repeat or be missing, are in the type
`;
