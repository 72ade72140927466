export const usage = `npm run -s sql -- [options] ["select …" | <file>]…

Runs BigQuery SQL on the local data (DATA_DIR, otherwise the demo), as the service would run a saved query. Without a
statement or a file it reads standard input. Statements are separated by semicolons; one that fails does not stop the
others. Exits with 1 if a statement failed, with 2 if the command line or the data has problems.

--file <file>          runs a file; of a *.json file, each text in its array (or each member sql of the objects in it)
-p <name>=<value>      the value of @name, a STRING as in saved queries; repeat it for several
-p <name>:<TYPE>=<v>   the value of another type: INT64, FLOAT64, NUMERIC, BIGNUMERIC, BOOL, BYTES, DATE, TIME, DATETIME,
                       TIMESTAMP, INTERVAL, JSON
--json                 for programs: one line of JSON for each statement (below); default: tables for people
--explain              shows DuckDB's SQL, and what each pass did, instead of running
--timeout <duration>   the longest time of one statement, as in 500ms, 10s or 2m; default: 10s
--max-rows <number>    how many rows are read; default: 100 in tables, all in JSON

JSON: {"statement":1,"columns":[{"name","type"},…],"rows":[[…],…]}, with "truncated":true if there were more rows; or
{"statement":1,"error":{"stage","message","line","column"}}, with "more":[{"message","line","column"},…] if there are
several problems. stage is "refused" (wrong or unsupported, did not run), "run time" (values, or the time-out; the place is
where the statement begins) or "crash" (a defect of Querygate). With --explain: {"statement":1,"explain":{"generic",
"custom","passes":[{"name","effect"}]}}. type is BigQuery's, as in ARRAY<STRUCT<id INT64, STRING>>. Rows are arrays, so that
columns may have equal names. Values lose nothing:

INT64                  string of digits: "9007199254740993"
NUMERIC, BIGNUMERIC    string of digits, without trailing zeros of the fraction: "1.5"
FLOAT64                number with all its digits; "NaN", "Infinity" and "-Infinity" are strings
BOOL                   true or false
STRING                 string
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
NULL                   null
`;
