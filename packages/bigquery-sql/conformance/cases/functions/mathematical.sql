-- ABS
abs(${int64})
abs(${float64})
abs(${numeric})
-- SIGN
sign(${int64})
sign(${float64})
sign(${numeric})
-- IS_INF
is_inf(${float64})
-- IS_NAN
is_nan(${float64})
-- IEEE_DIVIDE
ieee_divide(${float64}, ${float64})
ieee_divide(${small}, ${small})
-- SAFE_DIVIDE
safe_divide(numeric '4', 3)
safe_divide(4, numeric '3')
safe_divide(bignumeric '4', 3)
safe_divide(numeric '4', 0)
safe_divide(cast(4 as float64), 3)
safe_divide(numeric '4', null)
safe_divide(${float64}, ${float64})
safe_divide(${small}, ${small})
safe_divide(${numeric}, ${numeric})
-- SAFE_ADD
safe_add(${int64}, ${int64})
safe_add(${float64}, ${float64})
safe_add(${numeric}, ${numeric})
-- SAFE_SUBTRACT
safe_subtract(${int64}, ${int64})
safe_subtract(${float64}, ${float64})
safe_subtract(${numeric}, ${numeric})
-- SAFE_MULTIPLY
safe_multiply(${int64}, ${int64})
safe_multiply(${float64}, ${float64})
safe_multiply(${numeric}, ${numeric})
-- SAFE_NEGATE
safe_negate(${int64})
safe_negate(${float64})
safe_negate(${numeric})
-- DIV
! div(1.5, ${2; 1.5; null})
div(1.5, ${numeric '2'; bignumeric '2'})
div(${int64}, ${int64})
div(${numeric}, ${numeric})
div(${7; -7; 8}, ${2; -2; 3; -3})
-- MOD
! mod(1.5, ${2; 1.5; null})
mod(1.5, ${numeric '2'; bignumeric '2'})
mod(${int64}, ${int64})
mod(${numeric}, ${numeric})
mod(${7; -7; 8}, ${2; -2; 3; -3})
-- ROUND
! round(2.5, 0, 'ROUND_HALF_EVEN')
round(numeric '2.5', 0, 'ROUND_HALF_EVEN')
round(numeric '2.5', 4, 'ROUND_HALF_EVEN')
round(numeric '2.5', -1, 'ROUND_HALF_EVEN')
round(numeric '2.5', 9, 'ROUND_HALF_EVEN')
round(numeric '2.5', 12, 'ROUND_HALF_EVEN')
round(numeric '-2.5', 0, 'ROUND_HALF_EVEN')
round(numeric '-2.5', 4, 'ROUND_HALF_EVEN')
round(numeric '-2.5', -1, 'ROUND_HALF_EVEN')
round(numeric '-2.5', 9, 'ROUND_HALF_EVEN')
round(numeric '-2.5', 12, 'ROUND_HALF_EVEN')
round(numeric '3.5', 0, 'ROUND_HALF_EVEN')
round(numeric '3.5', 4, 'ROUND_HALF_EVEN')
round(numeric '3.5', -1, 'ROUND_HALF_EVEN')
round(numeric '3.5', 9, 'ROUND_HALF_EVEN')
round(numeric '3.5', 12, 'ROUND_HALF_EVEN')
round(numeric '1321232.41325', 0, 'ROUND_HALF_EVEN')
round(numeric '1321232.41325', 4, 'ROUND_HALF_EVEN')
round(numeric '1321232.41325', -1, 'ROUND_HALF_EVEN')
round(numeric '1321232.41325', 9, 'ROUND_HALF_EVEN')
round(numeric '1321232.41325', 12, 'ROUND_HALF_EVEN')
round(numeric '99999999999999999999999999999.9', 0, 'ROUND_HALF_EVEN')
round(numeric '99999999999999999999999999999.9', 4, 'ROUND_HALF_EVEN')
round(numeric '99999999999999999999999999999.9', -1, 'ROUND_HALF_EVEN')
round(numeric '99999999999999999999999999999.9', 9, 'ROUND_HALF_EVEN')
round(numeric '99999999999999999999999999999.9', 12, 'ROUND_HALF_EVEN')
round(numeric '2.5', 0, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '2.5', 4, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '2.5', -1, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '2.5', 9, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '2.5', 12, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '-2.5', 0, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '-2.5', 4, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '-2.5', -1, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '-2.5', 9, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '-2.5', 12, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '3.5', 0, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '3.5', 4, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '3.5', -1, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '3.5', 9, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '3.5', 12, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '1321232.41325', 0, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '1321232.41325', 4, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '1321232.41325', -1, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '1321232.41325', 9, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '1321232.41325', 12, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '99999999999999999999999999999.9', 0, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '99999999999999999999999999999.9', 4, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '99999999999999999999999999999.9', -1, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '99999999999999999999999999999.9', 9, 'ROUND_HALF_AWAY_FROM_ZERO')
round(numeric '99999999999999999999999999999.9', 12, 'ROUND_HALF_AWAY_FROM_ZERO')
round(${float64})
round(${finite})
round(${2.5; 3.5; -2.5; -3.5; 1.005; 2.675; 0.49999999999999994})
round(${123.456; -123.456; 55.5; 149.99; 1e300; 2.345}, ${0; 1; 2; -1; -2; -3; 400; -400; null})
round(${cast('nan' as float64); cast('inf' as float64); cast('-inf' as float64); 0.0}, ${1; -1; cast(null as int64)})
round(${numeric})
round(${numeric '2.5'; numeric '-2.5'; numeric '123.456789'; numeric '-155.5'}, ${0; 1; 3; -1; -2; 12})
round(${12; -15; 1234})
round(${15; -25; 1234}, ${0; -1; -2; 2})
select ${round; trunc}(t.v, ${3; 0; -3; 300}) from unnest([struct(1e308 as v), struct(1.2345), struct(null)]) as t
-- TRUNC
trunc(${float64})
trunc(${finite})
trunc(${123.456; -123.456; 55.5; 1e300}, ${0; 1; 2; -1; -2; -3; 400; null})
trunc(${cast('nan' as float64); cast('inf' as float64); cast('-inf' as float64); 0.0}, ${1; -1; cast(null as int64)})
trunc(${numeric})
trunc(${numeric '123.456789'; numeric '-155.5'}, ${0; 1; 3; -1; -2; 12})
-- CEIL
ceil(${float64})
ceil(${numeric})
ceil(${small})
-- CEILING
ceiling(${finite})
ceiling(${numeric})
-- FLOOR
floor(${float64})
floor(${numeric})
floor(${small})
-- SQRT
sqrt(${float64})
sqrt(${numeric '0'; numeric '2.25'; numeric '-1'; cast(null as numeric)})
safe.sqrt(${numeric '99999999999999999999999999999.999999999'; numeric '1e20'; numeric '100000000000000000000.000000001'; numeric '-1'})
-- CBRT
cbrt(${float64})
cbrt(${numeric '-27'; numeric '2'; numeric '0'; numeric '0.000000001'; numeric '-99999999999999999999999999999.999999999'; null})
cbrt(${bignumeric '27'; bignumeric '2'; bignumeric '0'; bignumeric '-1e-38'; bignumeric '-578960446186580977117854925043439539266'})
-- POW
pow(${finite}, ${2; -1; 0.5; 0; null})
pow(${0.0; -8.0; 2.0; 1e200}, ${2; -1; 0.5; 0; 3; cast('nan' as float64); cast('inf' as float64)})
pow(${2; -3; 0}, ${10; -2; 0})
pow(${numeric}, ${2; -1; 0; 3; null})
pow(${numeric '1.05'; numeric '-0.3'; numeric '10'}, ${numeric '30'; numeric '-7'; -28})
pow(numeric '1.00001', 20000)
pow(numeric '-1.00001', 20001)
pow(numeric '2', numeric '0.5')
pow(numeric '0.25', numeric '-0.5')
pow(numeric '10', numeric '2.5')
safe.pow(numeric '-2', numeric '0.5')
safe.pow(numeric '10', numeric '1e10')
pow(numeric '0.5', numeric '1e10')
pow(bignumeric '2', bignumeric '0.5')
pow(bignumeric '4', bignumeric '0.5')
-- POWER
power(${finite}, ${2; -1; 0.5; 0; null})
-- EXP
exp(${float64})
exp(${numeric '1'; numeric '0'; numeric '-20'; numeric '-21.5'; numeric '12.345'; numeric '67'; numeric '-99999999999999999999999999999'})
exp(${bignumeric '1'; bignumeric '0.5'; bignumeric '-87'; bignumeric '12.345'; bignumeric '90'; cast(null as bignumeric)})
-- LN
ln(${float64})
ln(${numeric '2'; numeric '1'; numeric '0.000000001'; numeric '99999999999999999999999999999.999999999'; numeric '0'; numeric '-1'; cast(null as numeric)})
ln(${bignumeric '2'; bignumeric '1'; bignumeric '1e-38'; bignumeric '578960446186580977117854925043439539266'; bignumeric '0'})
-- LOG
log(${float64})
log(${8; 100.0; 0.5; -1; 0; null}, ${2; 10; 0.5; 1; 0; -2; null})
log(${numeric '8'; bignumeric '8'; numeric '0.001'; bignumeric '0'; numeric '-1'})
log(${numeric '8'; numeric '0.001'; numeric '0'; null}, ${numeric '2'; numeric '0.5'; 10; 1; numeric '0'; numeric '-2'; null})
log(${bignumeric '8'; bignumeric '0.001'}, ${bignumeric '3'; numeric '0.5'; 10; 1; null})
log(${8; numeric '8'}, ${numeric '3'; bignumeric '3'})
-- LOG10
log10(${float64})
log10(${numeric '1000'; numeric '1000.5'; numeric '0.000000001'; bignumeric '1e-38'; bignumeric '8'; numeric '0'; bignumeric '-1'})
-- GREATEST
! greatest(${json '1'; struct(1 as a)})
greatest(${int64}, ${small})
greatest(${float64}, ${finite})
greatest(${string}, ${needle})
greatest(${date}, ${date}, date '2010-01-01')
greatest(1, 2.5, ${small})
greatest(${numeric}, ${numeric})
greatest(${bytes}, ${bytes})
greatest(${interval 25 hour; interval 30 day; interval 1 month; interval -1 day; null}, ${interval 1 day; interval 720 hour; interval 1 month}, interval 2 hour)
-- LEAST
! least(${json '1'; struct(1 as a)})
least(${int64}, ${small})
least(${float64}, ${finite})
least(${string}, ${needle})
least(${timestamp}, ${timestamp})
least(1, 2.5, ${small})
least(${bool}, ${bool})
least(${interval 25 hour; interval 30 day; interval 1 month; interval -1 day; null}, ${interval 1 day; interval 720 hour; interval 1 month}, interval 900 hour)
-- COS
cos(${float64})
-- COSH
cosh(${finite})
cosh(${cast('nan' as float64); cast('inf' as float64); cast('-inf' as float64)})
-- ACOS
acos(${0.0; 1.0; -1.0; 0.5; 2.0; -1.1; null; cast('nan' as float64)})
-- ACOSH
acosh(${1.0; 2.0; 10; 0.5; null; cast('inf' as float64); cast('nan' as float64)})
-- SIN
sin(${float64})
-- SINH
sinh(${finite})
sinh(${cast('nan' as float64); cast('inf' as float64); 0.001})
-- ASIN
asin(${0.0; 1.0; -1.0; 0.5; 2.0; -1.1; null; cast('nan' as float64)})
-- ASINH
asinh(${finite})
asinh(${cast('nan' as float64); cast('inf' as float64); cast('-inf' as float64)})
-- TAN
tan(${float64})
-- TANH
tanh(${float64})
-- ATAN
atan(${float64})
-- ATANH
atanh(${0.0; 0.5; -0.5; 1.0; -1.0; 2.0; null; cast('nan' as float64)})
-- ATAN2
atan2(${float64}, ${finite})
-- COT
cot(${1.0; -1.5; 0.5; 0.0; null; 1e10; cast('nan' as float64)})
-- COTH
coth(${1.0; -1.5; 0.5; 0.0; null; 100.0; cast('nan' as float64)})
-- CSC
csc(${1.0; -1.5; 0.5; 0.0; null; 1e10; cast('nan' as float64)})
-- CSCH
csch(${1.0; -1.5; 0.5; 0.0; null; 100.0; cast('nan' as float64)})
-- SEC
sec(${1.0; -1.5; 0.5; 0.0; null; 1e10; cast('nan' as float64)})
-- SECH
sech(${1.0; -1.5; 0.5; 0.0; null; 100.0; cast('nan' as float64)})
-- COSINE_DISTANCE
cosine_distance([${1.0; -2.5; 3.0}, ${2.0; 0.5}], [${1.0; 2.0}, ${-1.0; 4.0}])
cosine_distance([0.0, 0.0], [1.0, 2.0])
cosine_distance([1.0], [1.0, 2.0])
cosine_distance([1.0, null], [1.0, 2.0])
cosine_distance(null, [1.0, 2.0])
cosine_distance(cast(null as array<float64>), [1e308, 3.0])
safe.cosine_distance([1.0, 2.0], [${1e308; 1e200}, 3.0])
cosine_distance([1.0, 2.0], [${cast('inf' as float64); cast('nan' as float64)}, 3.0])
-- EUCLIDEAN_DISTANCE
euclidean_distance([${1.0; -2.5; 3.0}, ${2.0; 0.5}], [${1.0; 2.0}, ${-1.0; 4.0}])
euclidean_distance([1.0], [1.0, 2.0])
euclidean_distance([1.0, null], [1.0, 2.0])
euclidean_distance(null, [1.0, 2.0])
safe.euclidean_distance([1.0, 2.0], [${1e308; 1e200}, 3.0])
euclidean_distance([1.0, 2.0], [${cast('inf' as float64); cast('nan' as float64)}, 3.0])
-- RANGE_BUCKET
range_bucket(${small}, [0, 10, 20])
range_bucket(${20; 25; null; -5; 10}, ${[0, 10, 20, 30]; [5, 5, 10, 10]; cast([] as array<int64>); [1]})
range_bucket(${2.5; 0.5; cast('nan' as float64)}, [0.5, 1.5, 2.5])
range_bucket(cast(${20; null; 5; 9.999999999} as numeric), [0, 10])
range_bucket(numeric '0.5', [0.5, 1])
range_bucket(${bignumeric '0.5'; 1; null}, [bignumeric '0', 1, 2.5])
range_bucket(bignumeric '0.5', ${[0, 1]; [bignumeric '1', 0]})
range_bucket(${cast('inf' as float64); cast('-inf' as float64); 1e300; null; -0.0}, [-0.0, 1, 1e300])
range_bucket(9223372036854775807, [9007199254740992, 9007199254740993])
range_bucket(${small} + ${small}, [-10, 0, 10, 10])
range_bucket(15, [10, null])
range_bucket(15, [20, 10])
-- RAND
rand() >= 0 and rand() < 1
select count(*) from unnest(generate_array(1, 50)) as x where rand() between 0 and 1
select count(distinct r) > 1 from (select rand() as r from unnest(generate_array(1, 50)) as x)
-- BIT_COUNT
bit_count(${int64})
bit_count(${bytes})
