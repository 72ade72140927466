-- COALESCE
coalesce(${int64}, ${small})
coalesce(${string}, 'default')
coalesce(null, null, ${small})
coalesce(null, 1.5, 2)
coalesce(cast(null as date), ${date})
coalesce(cast(null as array<int64>), [1])
coalesce(1, 1/0)
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
