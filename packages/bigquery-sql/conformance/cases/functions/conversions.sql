-- PARSE_NUMERIC
parse_numeric('${1; -1.5; 1,000.5; 1e3; 123-; - 12; abc; ;  5 ; 1.0000000005; 1e40}')
parse_numeric('${5e-324; 9e-100; 4e-10; 5e-10; 1234567890123456789e-20; 100000000000000000000000000000000000000000e-20; 1e28; 0e400}')
-- PARSE_BIGNUMERIC
parse_bignumeric('${1; -1.5; 1,000.5; abc}')
safe.parse_bignumeric('${\u00a05; 5\u3000; \t5\n; \u0085-5}')
safe_cast('${\u00a05; 5\u3000; \t5\n}' as bignumeric)
-- INT64
int64(json '${1; -5; 1.0; "1"; 1.5; true; 9223372036854775807; 1e3}')
int64(cast(null as json))
-- FLOAT64
float64(json '${1; -5.25; 1e10; "1"; true}')
float64(cast(null as json))
-- BOOL
bool(json '${true; false; 1; "true"}')
bool(cast(null as json))
-- STRING
string(json '${"text"; 1; true; "ü"}')
string(cast(null as json))
-- LAX_INT64
lax_int64(${json})
lax_int64(json '${"12"; "1.5"; 1.5; true; "x"; [1]}')
-- LAX_FLOAT64
lax_float64(${json})
lax_float64(json '${"1.5"; "nan"; true; "x"}')
-- LAX_BOOL
lax_bool(${json})
lax_bool(json '${"true"; "TRUE"; 0; 0.0; 5; "x"}')
-- LAX_STRING
lax_string(${json})
lax_string(json '${1.0; 1e100; true}')
