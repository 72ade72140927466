-- COALESCE
coalesce(${int64}, ${small})
coalesce(${string}, 'default')
coalesce(null, null, ${small})
coalesce(null, 1.5, 2)
coalesce(cast(null as date), ${date})
coalesce(cast(null as array<int64>), [1])
coalesce(1, 1/0)
select coalesce(x, cast(s as int64)) as a, coalesce(y, cast(s as int64)) as b from unnest([struct(1 as x, 2 as y, 'bad' as s), (null, null, '5')])
select coalesce(x, cast(s as int64), cast(s as int64) + 1) as a from unnest([struct(1 as x, 'bad' as s), (null, '5')])
select coalesce(x, y, 1 / z) as a, coalesce(x, w, 1 / z) as b from unnest([struct(1 as x, 2 as y, 0 as z, 3 as w), (null, 2, 0, 4)])
select coalesce(max(x), 1 / min(z)) as a, coalesce(max(y), 1 / min(z)) as b from unnest([struct(1 as x, 2 as y, 0 as z)])
select coalesce(lag(x) over (order by z), 1 / z) as a, coalesce(y, 1 / z) as b from unnest([struct(1 as x, 2 as y, 1 as z), (2, 3, 2)])
-- IF
if(${bool}, ${small}, 99)
if(${small} > 1, 'big', 'small')
if(${small} = 0, 0, 10 / ${small})
if(true, 1, 2.5)
if(false, null, date '2024-02-29')
if(true, 'x', error('not evaluated'))
-- IFNULL
ifnull(${int64}, 0)
ifnull(${string}, 'none')
ifnull(cast(null as float64), 1)
ifnull(1, 1/0)
select ifnull(s, error('no s')) as a, ifnull(t, error('no s')) as b from unnest([struct('a' as s, 'b' as t)])
select ifnull(safe_cast(s as int64), cast(t as int64)) as a, ifnull(x, cast(t as int64)) as b from unnest([struct('1' as s, 'bad' as t, 2 as x), ('bad', '5', null)])
-- NULLIF
nullif(numeric '9007199254740993', 9007199254740992.0)
nullif(${small}, ${small})
nullif(${string}, '')
nullif(${float64}, cast('nan' as float64))
nullif(${date}, date '2024-02-29')
nullif(null, 1)
-- NULLIFZERO
! nullifzero(1)
-- ZEROIFNULL
! zeroifnull(1)
-- IFERROR
iferror(1, 2)
-- ISERROR
iserror(1)
-- NULLIFERROR
nulliferror(1)
-- ERROR
error('reason')
if(${bool}, 'fine', error('reason'))
-- TYPEOF
typeof(${1; 1.5; 'a'; b'a'; true; date '2024-01-01'; timestamp '2024-01-01'; [1]; numeric '1'; null})
-- GENERATE_UUID
length(generate_uuid())
regexp_contains(generate_uuid(), r'^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$')
generate_uuid() = generate_uuid()
select count(distinct u) from (select generate_uuid() as u from unnest(generate_array(1, 20)) as x)
-- SESSION_USER
session_user() <=> 'Ada'
session_user <=> 'Ada'
upper(session_user()) <=> 'ADA'
session_user() = @p <=> true
select session_user() as x, count(*) as n from people group by 1 <=> select 'Ada' as x, count(*) as n from people group by 1
! session_user(1)
