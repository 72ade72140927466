-- SELECT
select 1
select 1 as a, 'x' as b
select id, name from people order by id
select p.id, p.name from people as p order by p.id
select p.* from people p order by id
select people.id from people order by people.id
select 1 as `odd name`, 2 as `select`
select id ID2, NAME from people order by 1
select count(*) as n from people
! select missing from people
! select id, from_nowhere.x from people
! select ${distinct interval 1 day; 1 as a order by a; rank() over (order by 1)}
! select array(select ${distinct 1; 1 as a order by 1})
-- SELECT DISTINCT
select distinct team from people order by team
select distinct team, active from people order by team, active
select distinct score from people order by score desc
select distinct team from people as p order by ${length(team); upper(p.team); (select team); 1}
select distinct upper(team) as t from people order by ${length(t); t; upper(t)}, 1
select distinct struct(team as a, id as b) as s from people order by s.b
select distinct s.* from (select struct(1 as a, 2 as b) as s) order by s.b, a + b
select distinct upper(team) as team, count(*) as n from people group by team order by length(team), n
select distinct count(*) over (partition by team) as n from people order by n + 1
! select distinct team from people order by ${id; length(name); count(*); rank() over (order by team)}
! select distinct upper(team) as t from people order by ${upper(team); team; p.team}
! select distinct count(*) as n from people group by team order by count(*)
! select distinct team, team from people order by team
-- SELECT * EXCEPT
! select * except (x, x) from (select 1 as x, 2 as y)
! select t.* except (x, X) from (select 1 as x, 2 as y) as t
select * except (seen, joined) from people order by id
select p.* except (seen, joined, score) from people as p order by id
! select * except (missing) from people
-- SELECT * REPLACE
! select * replace (1 as x, 2 as X) from (select 1 as x, 2 as y)
select * replace (upper(name) as name) from people order by id
select * except (seen) replace (id * 2 as id) from people order by id
select ${*; t.*} replace (a + 1 as A) from (select 1 as a, 2 as b) as t
-- SELECT AS STRUCT
select array(select as struct id, name from people order by id)
select as struct x, -x as y from unnest([1, 3, 2]) as x order by ${2; y; x; 1}
select as struct x, count(*) as n from unnest([1, 3, 1, 2, 3, 3]) as x group by 1 order by 2 desc
select distinct as struct x from unnest([1, 3, 2, 3]) as x order by ${x; 1} desc
select distinct as struct x, -x as y from unnest([1, 3, 2, 3]) as x order by ${y; 2} limit 2
select as struct null as k, x from unnest([1, 3, 2]) as x order by ${k, x; 1, 2}
select as struct null as k, count(*) as n from unnest([1, 3]) order by k
select array(select as struct x, null as note from unnest(p) as x order by note, x limit 1) from (select [3, 1] as p)
select as struct t.*, null as z from (select 1 as a union all select 2) as t order by z, a desc
! select as struct x from unnest([1, 2]) as x order by ${2; value}
select (select as struct 1 as a, 'x' as b).a
select as struct 1 as a, 5 as b union all select as struct 2 as a, 4 as b order by ${a desc; b; a + b; -a}
! select as struct 1 as a, 5 as b union all select as struct 2 as a, 4 as b order by ${1; 2}
select as struct 1 as a, 5 as b union all select as struct 2 as b, 4 as c order by b
select as value struct(1 as a, 5 as b) union all select as value struct(2 as a, 4 as b) order by b
select as value 2 union all select as value 1 order by 1
-- SELECT AS VALUE
select array(select as value struct(id as i, name as n) from people order by id)
select as value struct(1 as a, 2 as b)
select (select as value struct(1 as a, 2 as b)).b
-- Trailing comma
select 1 as a, 2 as b,
select id, from people order by id
-- Comments
select 1 -- comment
  # another
  /* and a block */ + 1 as a
select /* in front */ 2
-- Literals: strings
! 'it''s'
'single' = "double"
'it\'s'
"say \"hi\""
'''triple 'quoted' text'''
"""triple "quoted" text"""
r'raw \n text'
R"raw \d+"
r'''raw \' quote'''
'tab\tnewline\nbell\aform\fback\bcr\rvert\v'
'hex \x41 octal \101 unicode \u00e9 \U0001F44D'
'\?\`\\'
! 'bad \escape'
! 'bad \x4'
-- Literals: bytes
b'abc'
b"\x00\xff"
B'''tri'ple'''
rb'raw \n'
br"raw \d"
b'é'
! b'\u00e9'
-- Literals: numbers
1
0x1F
-0xff
1.5
.5
5.
1e10
1E-3
-1.5e+3
9223372036854775807
-9223372036854775808
! 9223372036854775808
numeric '1.5'
numeric '-99999999999999999999999999999.999999999'
! numeric 'abc'
0.1 + 0.2
123456789012345678
1e308 * 10
-- Literals: dates and times
date '2024-02-29'
date '2024-2-9'
datetime '2024-02-29 10:20:30.123456'
datetime '2024-02-29T10:20:30'
datetime '2024-02-29'
time '10:20:30.5'
timestamp '2024-02-29 10:20:30+00'
timestamp '2024-02-29 10:20:30'
timestamp '2024-02-29T10:20:30.123456Z'
timestamp '2024-02-29 10:20:30 America/Los_Angeles'
timestamp '2024-02-29'
timestamp '2024-02-29 10:20:30-08'
! date '2023-02-29'
! timestamp 'x'
! time '25:00:00'
! datetime '2024-02-30 00:00:00'
-- Literals: JSON
json '{"a": [1, 2.5, null]}'
json 'null'
! json '{bad'
select json '{"b":1.50,"a":{"x":1,"x":2},"b":2}'
-- Literals: booleans and NULL
true
FALSE
null
null is null
-- Literals: arrays
[1, 2, 3]
[1, 2.5]
['a', null]
array[1, 2]
array<int64>[1, 2]
array<float64>[1, 2]
array<string>[]
[struct(1 as a, 'x' as b), struct(2, 'y')]
[(1, 'x'), (2, 'y')]
[date '2024-02-29', null]
[numeric '1', 2]
! [1, 'a']
! [[1], [2]]
array<struct<a int64, b string>>[(1, 'x'), (2, null)]
! select * from unnest([struct(1 as id, ${['x']; [1.5]; [date '2024-01-01']} as a), (2, [])])
! select ${coalesce; ifnull}(struct(['x']), struct([]))
! select struct(['x'] as a) as s union all select struct([])
! select * from unnest([struct(1 as id, null as a), ${(2, 'x'); (2, true); (2, b'x'); (2, null), (2, 'x')}])
select * from unnest([struct(1 as id, null as a), ${(2, 1.5); (2, date '2024-01-01'); (2, 'x'), (2, upper('x')); (2, @p)}])
select * from unnest([struct(1 as id, 'x' as a), (2, null)])
! select [struct(struct(null as a) as s), struct(struct('x'))]
! select ${coalesce; ifnull; nullif}(struct(null), struct('x'))
! select struct(null) ${= struct('x'); in (struct('x'))}
! select case when true then struct(null as a) else struct('x') end
! select struct(null as a) as s union all select struct('x')
select struct(null as a) in unnest([struct('x' as a)])
select * from unnest([struct(1 as id, [1] as a), (2, []), (3, null)])
select ${if(true, ['x'], []); coalesce([], ['x'])}
-- Literals: structs
struct(1, 'a')
struct(1 as a, 'x' as b)
(1, 'x')
(1, 'x', true)
struct<int64, string>(1, 'x')
struct<a int64, b string>(1, 'x')
struct<a float64>(1)
struct<a int64>(null)
struct(1 as a, [1, 2] as b, struct('deep' as c) as d)
struct(1 as a).a
struct(struct('deep' as c) as d).d.c
struct(null as a).a
struct(1)
struct(date '2024-02-29' as d)
select to_json_string(struct(1 as a, 2 as a, 'x' as A)) as s
select to_json_string(struct(1 as a, 2 as A)), format('%T', struct(1 as a, 2 as a))
select s = struct(1 as b, 2 as c), to_json_string(cast(s as struct<x string, x int64>)), s[offset(1)] from (select struct(1 as a, 2 as a) as s)
select to_json_string(array(select as struct x as v, x + 1 as v from unnest([1, 2]) as x)), to_json_string((select as struct 1 as a, 2 as a))
select to_json_string(array_agg(struct(x as v, -x as v) order by x)), to_json_string(if(count(*) > 1, struct(1 as a, 2.5 as a), struct(2, 3))) from unnest([1, 2]) as x
select to_json_string(t) from (select 1 as a, 2 as a) as t
-- Literals: intervals
interval 1 day
interval -3 month
interval '1-2' year to month
interval '1 2:3:4.5' day to second
date '2024-02-29' + interval 1 day
timestamp '2024-02-29 10:00:00+00' - interval 90 minute
datetime '2024-01-31 00:00:00' + interval 1 month
timestamp '2024-02-29' + interval ${1; -1; 100} ${second; minute; hour; day}
select interval '10000-0' year to month ${+; -} interval ${1; -1} month
select interval ${10000 year; 10001 year; 120001 month; 3660001 day; 87840001 hour}
-- Parameters
select @p as p, concat(@p, '!') as q, @p = '' as empty, @nothing = '' as nothing
select case @p when 'Ada' then 1 else 2 end as n, upper(@P) as u
select id from people where @nothing = '' or name = @nothing order by id
! select @missing
select count(*) from people where name = @p or @p is null
-- Backquoted names
select `id`, `people`.`name` from `people` order by `id`
select p.`name` from people as `p` order by p.id
select 1 as `with space`
-- Names without case
select ID, Name from people order by iD
select P.ID from people as p order by p.id
with Numbers as (select 1 as X) select x, NUMBERS.x as y from numbers
select UPPER(name), Length(NAME) from people order by id
select t.A from (select struct(1 as a) as T)
-- WHERE
select id from people where active order by id
select id from people where score > 1 order by id
select id from people where not active order by id
select id from people where team = 'red' and score is null
select id from people where team != 'red' order by id
select id from people where null
select id from people where score = 1.5 or team is null order by id
! select id as x from people where x > 1
! select id from people where sum(id) > 1
! select id from people where name
-- GROUP BY names
select safe_cast(name as int64) as n, safe_cast(score as int64) as m from people group by name, score order by name, score
select safe_cast(orders.amount as int64) as n, count(*) from people left join orders on orders.person_id = people.id group by orders.amount having safe_cast(orders.amount as int64) is not null order by n
select avg(safe_cast(name as numeric)) over () as a, safe.substr(name, 1, 2) from people group by name order by name
select ${name; upper(name)} as k, safe_cast(${name; max(name)} as int64) as n, name, count(*) as c from people group by name order by name
select safe_cast(r.s as bool) as b, r.s, min(safe_cast(r.s as time)) as t from (select struct(name as s, id as i) as r from people) group by r.s order by s
select team, sum(count(*)) over (order by safe_cast(team as int64), team) as n from people group by 1 order by 1
select name, (select count(*) from orders where person_id is distinct from safe_cast(people.name as int64)) as n from people group by name order by name
select name, array(select max(safe_cast(people.name as int64)) + x from unnest([1, 2]) as x group by x) as n from people group by name order by name
select team, count(*) as n from people group by team order by team
select p.team, sum(p.score) as s from people as p group by p.team order by p.team
select upper(team) as t, count(*) as n from people group by t order by t
select upper(team) as t, count(*) as n from people group by upper(team) order by t
select extract(year from joined) as y, count(*) from people group by y order by y
select team as name, count(*) as n from people group by name order by name
select length(name) as name, count(*) as n from people group by name order by n, name
! select team, name, count(*) from people group by team
select team, active, max(score) from people group by team, active order by team, active
-- GROUP BY ordinals
select team, count(*) as n from people group by 1 order by 1
select team, active, count(*) from people group by 1, 2 order by 1, 2
! select team, count(*) from people group by 3
-- GROUP BY expressions
select upper(team), count(*) as n from people group by upper(team)
select upper(p.team) as a, UPPER(team) as b from people as p group by upper(team)
select upper(team) as t, upper(team) as again, count(*) as n from people group by t
select upper(team) as t, max(length(upper(team))) as n from people group by t order by t
select upper(team) as t, count(*) as n from people group by t having length(t) > 3 order by length(t), t
select upper(team) as t, rank() over (order by count(*)) as r from people group by t qualify length(t) > 0
select upper(team) as team, max(team) as m from people group by team order by length(team), m
select upper(team) as team, count(*) as n from people as p group by p.team having p.team > 'a'
select upper(team) as team from people as p group by p.team order by team
select id + 1 as id, id * 2 as double from people as p group by p.id
select team as t, length(team) as n from people group by t order by 1
select length(team) as n, lower(upper(team)) as t from people group by team
select [team] as t from people group by [team]
select case team when 'red' then 1 end as t, if(id > 2, 1, 0) as i from people group by case team when 'red' then 1 end, if(id > 2, 1, 0)
select team from people group by team, upper(team)
select count(*) as n from people group by date '2024-01-01'
select 'x' as c, count(*) as n from people group by c
select 'x' as c, count(*) as n from people group by 1
select with(t as upper(team), count(*)) as n from people group by team
! select upper(team) as t, length(upper(team)) as n from people group by t
! select upper(team) as t, length(upper(team)) as n from people group by 1
! select upper(team), length(upper(team)) as n from people group by upper(team)
! select upper(team) as t, ${upper(team) || 'x'; upper(team) = 'A'; [upper(team)]; count(*) + length(upper(team)); (select upper(team)); length(team); name; p.name} as other from people as p group by t
! select upper(team) as t, ${lag(count(*)) over (order by upper(team)); count(*) over (partition by upper(team)); max(upper(team)) over ()} as other from people group by t
! select rank() over w as r from people group by upper(team) window w as (order by upper(team))
! select upper(team) as t, count(*) as n from people group by t having upper(team) = 'RED'
! select upper(team) as t, count(*) as n from people group by t order by ${length(upper(team)); upper(team) || ''; team; name; rank() over (order by upper(team))}
! select upper(team) as t, count(*) as n from people group by t qualify rank() over (order by count(*)) > 0 and upper(team) = 'A'
! select cast(seen as date) as d from people group by date(seen)
! select not (id = 1) as is_other from people group by id <> 1
! select rand() + id as r from people group by rand() + id
! select (select team) as t from people group by (select team)
! select upper(team) as team, count(*) as n from people as p group by p.team having team > 'a' and name > 'a'
! select count(*) as n from people group by ${'x'; null; true; 1.5; -1; 0; [1]; (1, 2); count(*); rank() over (order by id)}
! select team, team from people group by team
! select count(*) as n from people group by 1
! select team, count(*) as n from people
! select count(*) as n from people order by team
! select *, count(*) as n from people
! select id from people order by count(*)
! select 1 from people having max(id) > 0
! select team from people group by team having rank() over (order by team) > 0
-- GROUP BY fields
select s.a, s.a || 'x' as x, upper(t.s.a) as u from (select struct('a' as a, struct(1 as c) as b) as s) as t group by ${s.a; t.s.a; (s).a; s}
select s.b.c + 1 as x, to_json_string(s.b) as j, (s.b).c as c from (select struct('a' as a, struct(1 as c) as b) as s) as t group by ${s.b; s; t.s.b}
select s.b.c, (s.b).c as d from (select struct('a' as a, struct(1 as c) as b) as s) as t group by s.b.c
select s.a, (select count(*) from orders where id > length(t.s.a)) as n from (select struct('a' as a) as s) as t group by s.a
select x, x.a + 1 as y, a * 2 as z from (select as struct 1 as a) as x group by x
select a + 1 as y, x.a * 2 as z from (select as struct 1 as a) as x group by ${a; x.a; x}
select e.p + 1 as y, q as z from unnest([struct(1 as p, 'q' as q)]) as e group by ${e; p, q; e.p, e.q}
select upper(x) as u, x || 'b' as y from unnest(['a', 'b']) as x group by x
select t from (select 1 as a) as t group by t
select o + 1 as y from unnest([5, 6]) as x with offset as o group by o
select *, count(*) as n from (select 1 as a, 2 as b) group by a, b
select * except (b), count(*) as n from (select 1 as a, 2 as b) group by a
select * replace (a + 1 as a) from (select 1 as a, 2 as b) group by a, b
select as struct upper(team) as t, count(*) as n from people group by ${t; 1; upper(team)}
select as value upper(team) from people group by ${1; upper(team)}
! select ${s; s.b; s.b.d; to_json_string(s)} as x from (select struct('a' as a, struct(1 as c, 2 as d) as b) as s) as t group by s.b.c
! select (s.b).c + 1 as x from (select struct('a' as a, struct(1 as c) as b) as s) as t group by s.b.c
! select s.* from (select struct('a' as a) as s) as t group by ${s; s.a}
! select e.* from unnest([struct(1 as p)]) as e group by e
! select ${t; t.b; a + b; (select as struct t.*)} as x from (select 1 as a, 2 as b) as t group by a
! select ${t.a; a; (t).a; to_json_string(t)} as x from (select 1 as a) as t group by t
! select count(*) as n from (select 1 as a) as t group by t ${having; order by} (t).a = 1
! select upper(x) || 'b' as y from unnest(['a', 'b']) as x group by upper(x)
! select * from (select 1 as a, 2 as b) group by a
-- GROUP BY beside JOIN USING
select ${id; people.id; id + 1; people.id + 1} as x, count(*) as n from people join orders using (id) group by ${id; people.id}
select id + 1 as x, count(*) as n from people full join orders using (id) group by id
! select orders.id as x from people join orders using (id) group by id
! select ${coalesce(people.id, orders.id); people.id} as x from people full join orders using (id) group by id
-- GROUP BY and subqueries
select team, (select count(*) from orders where tags[safe_offset(0)] = people.team) as n from people group by team
select team from people group by team having exists (select 1 from orders where amount > length(people.team)) order by team
select sum((select count(*) from orders where person_id = people.id)) as n from people
select array(select as struct upper(t) as t, count(*) as n from unnest(['a', 'A', 'b']) as t group by t order by t) as r
select struct((select max(amount) from orders where person_id = people.id) as a, team as b) as s, count(*) as n from people group by s ${having s.a > 1; having s.b = 'red' qualify rank() over (order by s.a) = 1; order by s.a, s.b}
! select team, (select count(*) from orders where person_id = people.id) as n from people group by team
! select team from people group by team having exists (select 1 from orders where person_id = people.id)
! select team, (select max(amount + people.id) from orders) as n from people group by team
! select (select amount from orders where person_id = 1 group by person_id) as n
-- GROUP BY ALL
select team, active, count(*) as n from people group by all order by team, active
-- GROUP BY ROLLUP
select team, active, count(*) as n from people group by rollup(team, active) order by team, active, n
select team, sum(id) as s from people group by rollup(team) order by s, team
select count(*) as n from people where false group by rollup(team)
select a, a + 1 as b, a + 1 + 10 as c, grouping(a + 1) as g, rank() over (order by a + 1) as r from unnest([1, 2]) as a group by rollup(a, ${b; 2; a + 1}) order by a + 1, b, g
select ${0; 1; 'x'; date '2024-01-31'; null is null} as o, id, count(*) + 1 as n, count(*) > 0 as m, if(count(*) > 0, 'x', 'y') as t from people group by rollup(id, o) order by id, o
select as struct a, a + 1 as b, a + 1 as c from unnest([1, 2]) as a group by rollup(a, b)
-- GROUP BY CUBE
select team, active, count(*) as n from people group by cube(team, active) order by team, active, n
-- GROUP BY GROUPING SETS
select a, b, grouping(a) as g, grouping(b) as h from (select ${x as a, x as b; distinct x as a, x as b; x + 1 as a, x + 1 as b; s.x as a, s.x as b} from (select x, struct(x) as s from unnest([1, 2]) as x)) group by ${grouping sets (a, b); rollup (a, b); cube (b, a)} order by 1, 2, 3, 4
with t as (select x as a, x as b from unnest([1, 2]) as x) select a, b, count(*) as n from t group by grouping sets (a, b) order by 1, 2
select b from (select x as a, x as b from unnest([1, 2]) as x) group by a order by b
select a, b, count(*) as n from (select 1 as a, 1 as b union all select x, x from unnest([1, 2]) as x) group by grouping sets (a, b) order by 1, 2
with recursive t as (select x as a, x as b from unnest([1]) as x union all select a + 1, b + 2 from t where a < 3) select a, b from t order by a
select team, active, count(*) as n from people group by grouping sets (team, active, ()) order by n, team, active
-- HAVING
select team, count(*) as n from people group by team having n > 1 order by team
select team from people group by team having count(*) > 1 order by team
select team, count(*) as n from people group by team having count(*) = 1 order by team
select sum(id) as s from people having s > 100
select team, max(score) as score from people group by team having score > 1 order by team
select (select count(*) from unnest(o.items) as i where i.quantity is null) as c, count(*) as n from orders as o group by c ${having c > 0; qualify rank() over (order by c) = 1}
select struct(team as t, struct(active as a) as i) as s, count(*) as c from people group by s ${having s.t = 'red' and s.i.a; qualify rank() over (order by s.t) = 1; order by c, s.t, s.i.a}
select if(true, struct(team as t), null) as s, count(*) as c from people group by ${s; rollup(s)} order by s.t, c
-- QUALIFY
select id, team from people where true qualify row_number() over (partition by team order by id) = 1 order by id
select id, rank() over (order by score desc) as r from people where true qualify r = 1 order by id
select id, team from people where id > 1000 qualify row_number() over (order by id) = 1
select * from (select id, row_number() over (order by team desc) as r from people where team = 'none') where r <= 1
select count(*) as n from (select id from people where id in (select id from orders where id < 0) qualify 1 = row_number() over (order by score)) as x
-- ORDER BY
select id from people order by score, id
select id from people order by score desc, id
select id from people order by team, id desc
select id, score as s from people order by s, id
select id from people order by score nulls last, id
select id from people order by score desc nulls first, id
select id from people order by 1 desc
select id from people order by length(name), id
select name from people order by name
select x from unnest([cast('nan' as float64), 1, null, cast('-inf' as float64), -0.0]) as x order by x
select x from unnest(['b', 'A', 'a', 'Z', 'ä', null, '']) as x order by x
select x from unnest([true, false, null]) as x order by x desc
select upper(team) as t, count(*) as n from people group by ${t; 1; upper(team); all} order by ${upper(team); upper(people.team) desc; UPPER(TEAM), n}
select any_value(upper(team)) as t, count(*) as n from people group by upper(team) order by upper(team) desc
select count(*) as n, ${length(team); 1} as x from people group by team, length(team), mod(id, 2) order by mod(id, 2), length(team), team
select mod(id, 2) as x, count(*) as n from people group by ${x; rollup(x); cube(x, mod(id, 2)); grouping sets (x, ())} order by ${mod(id, 2); mod(id, 2) desc}, n
select if(id > 2, 'b', 'a') as x from people group by x order by if(id > 2, 'b', 'a')
select as struct upper(team) as t, count(*) as n from people group by upper(team) order by upper(team)
select upper(team) as team, count(*) as n from people as p group by upper(p.team) order by upper(p.team)
select -id as id from people group by 1 order by -id
! select count(*) as n from people group by mod(id, 2) order by ${mod(id, 2) + 1; mod(id, 3); -mod(id, 2); id}
! select count(*) as n from people group by mod(id, 2) having mod(id, 2) = 1 order by mod(id, 2)
! select rank() over (order by mod(id, 2)) as n from people group by mod(id, 2) order by mod(id, 2)
! select distinct upper(team) as t, count(*) as n from people group by t order by upper(team)
select id as x, -id as id from people order by id
! select distinct team from people order by id
! select ${id as x, -id as x; id as x, id as x; distinct id as x, 1 as x} from people order by ${x; x + 1}
! select p.id, q.id from people as p join people as q using (id) order by id + 1
! select id from people order by ${2; 0; -1; 'x'; null; 1.5; true}
-- LIMIT and OFFSET
select id from people order by id limit 2
select id from people order by id limit 2 offset 1
select id from people order by id limit 0
select id from people order by id limit 100 offset 4
select id from people order by id limit 10 offset 100
! select id from people limit -1
! select id from people limit ${null; cast(null as int64); 1 offset null; 1 offset cast(null as int64)}
! select distinct id from people order by id limit cast(null as int64)
-- WITH
with a as (select 1 as x), b as (select x + 1 as y from a) select a.x, b.y from a, b
with a as (select 1 as x) select * from a union all select * from a
with people as (select 7 as id) select id from people
with a as (with b as (select 1 as x) select x from b) select x from a
with a as (select 1 as x) select (select x from a) as y
! with a as (select 1 as x) select y from a
! with a as (select 1), a as (select 2) select * from a
-- Common tables read twice
with s as (${source}) select x from s union all select x from s ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select a.x from s as a join s as b on a.x = b.x ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select a.x from s as a left join s as b on a.x = b.x ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select b.x from s as a right join s as b on a.x = b.x ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select a.x from s as a full join s as b on a.x = b.x ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select a.x from s as a cross join s as b ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select a.x from s as a join s as b using (x) ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select x from s where x in (select x from s) ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select x from s where x not in (select max(x) from s) ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select x from s where exists (select 1 from s as t where t.x = s.x) ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select x, (select count(*) from s) as n from s ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select (select min(x) from s) as x, (select max(x) from s) as y from (select 1) ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select x, count(*) over (partition by x) as n from s where x is not null or (select count(*) from s) > 0 ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select x from s intersect distinct select x from s ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select x from s where x is null union all (select x from s order by x limit 2) ${; order by 1; order by 1 desc limit 2}
with s as (${source}), t as (select x from s) select x from t union all select x from s ${; order by 1; order by 1 desc limit 2}
with s as (${source}), t as (select x, count(*) as n from s group by x) select s.x, n from s join t on s.x = t.x ${; order by 1; order by 1 desc limit 2}
with t as (with s as (${source}) select x from s union all select x from s) select x from t union all select x from t ${; order by 1; order by 1 desc limit 2}
with s as (${source}) select count(*) as n from (select x from s union all select x from s ${limit 2; limit 0; limit 2 offset 1})
with s as (${source}) select count(*) as n from (select a.x from s as a cross join s as b ${limit 2; limit 0; limit 2 offset 1})
with s as (${source}) select count(*) as n from (select x from s where x in (select x from s) ${limit 2; limit 0; limit 2 offset 1})
with s as (${source}) select (select count(*) from (select x from s limit 2)) as two, (select count(*) from s) as n limit 1
select sum(x) over (partition by y) as n from (select length(@p) + 1 as x, 'a' as y)
select max(x) over (partition by y) as x, y from (select upper(@p) as x, date_add(date '2024-02-28', interval 1 day) as y)
-- WITH RECURSIVE
with recursive n as (select 1 as x union all select x + 1 from n where x < 5) select x from n order by x
with recursive n as (select 1 as x union distinct select mod(x + 1, 3) from n) select x from n order by x
with recursive tree as (
  select 1 as node, 'root' as path union all
  select node * 2, concat(path, '/', cast(node * 2 as string)) from tree where node < 5) select node, path from tree order by node
-- UNION ALL
select 1 as a union all select 2 union all select 1
select 1 as a, 'x' as b union all select 2.5, 'y'
select * from ((select id from people where id < 2) union all (select id from orders where id > 12))
select id from people union all select id from orders order by id limit 3
select * from (select 1 as a union all select 2) order by a desc
select null as a union all select 1
! select 1 union all select 'a'
! select 1 union all select 1, 2
-- UNION DISTINCT
select 1 as a union distinct select 1 union distinct select 2 order by a
select team from people union distinct select 'red' order by team
select null as a union distinct select null
-- INTERSECT DISTINCT
select id from people intersect distinct select person_id from orders order by id
select team from people intersect distinct select cast(null as string)
-- EXCEPT DISTINCT
select id from people except distinct select person_id from orders order by id
select x from unnest([1, 1, 2, null]) as x except distinct select 1 order by x
-- Scalar subquery
select id, (select count(*) from orders where orders.person_id = people.id) as n from people order by id
select (select max(score) from people) as m
select id, (select count(*) from orders as o where o.id < (select min(id) from orders) + people.id) as n from people order by id
select (select id from people where id = 100) as none
select (select id from people) as many
select id from people where score = (select min(score) from people)
-- IN subquery
select id from people where id in (select person_id from orders) order by id
select id from people where id not in (select person_id from orders where person_id is not null) order by id
select id from people where id not in (select person_id from orders) order by id
select null in (select 1), 1 in (select null), 1 in (select x from unnest(cast([] as array<int64>)) as x)
-- EXISTS subquery
select id from people where exists (select 1 from orders where orders.person_id = people.id) order by id
select id from people where not exists (select * from orders where orders.person_id = people.id and amount > 50) order by id
select exists (select 1 from people where false)
-- ARRAY subquery
select id, array(select o.id from orders as o where o.person_id = people.id order by o.id) as orders from people order by id
select array(select name from people where name is not null order by id)
-- Derived tables
! select p.id, s.x from people as p, (select p.id as x) as s
! select p.id, s.x from people as p join (select id as x) as s on true
! select * from (select [1, 2] as a) as t cross join (select sum(x) as n from unnest(t.a) as x)
! select * from (select 1 as a) as t, (select 2 as b union all select t.a)
! select * from (select 1 as a) as t, (with u as (select t.a as b) select b from u)
! select * from unnest([1]) as x join (unnest([x]) as y join unnest([y]) as z on true) on true
select (select s.x from (select t.a as x) as s) as y from (select 1 as a) as t
select (select sum(y) from unnest([1, 2]) as x, (select t.a as y)) as y from (select 5 as a) as t
select s.team, s.n from (select team, count(*) as n from people group by team) as s order by s.team
select x from (select id as x from people) where x > 3 order by x
select * from (select 1 as a, 2 as b)
-- INNER JOIN
select p.id, o.id as order_id from people as p join orders as o on p.id = o.person_id order by order_id
select p.id, o.id as order_id from people as p inner join orders as o on p.id = o.person_id and o.amount > 20
select a.id, b.id as other from people as a join people as b on a.team = b.team and a.id < b.id order by 1, 2
select id, p.name from people as p join (select 1 as id) using (id)
select * from (select 1 as a, 2 as b) join (select 1 as a, 3 as c) using (a)
! select id from people as p join orders as o on p.id = o.person_id
select * from (select 1 as k, 2 as id) as a join (select 1 as k, 20 as bv) as b using (k) ${join (select 2 as id, 3 as cid) as c using (id); join (select 1 as k, 3 as cid) as c using (k)}
select 0 as p, 0 as q, 0 as r, 0 as s, 0 as t union all select * from (select 1 as k, 2 as id) as a join (select 1 as k, 20 as bv) as b using (k) ${join (select 99 as k, 2 as cid) as c on c.cid = a.id; cross join (select 2 as k, 3 as cid) as c}
select * from (select 7 as x, 1 as y) as d cross join ((select 1 as k, 2 as id) as a join (select 1 as k, 20 as bv) as b using (k))
select * except (k) from (select 1 as k, 2 as id) as a join (select 1 as k, 20 as bv) as b using (k), (select 2 as k, 3 as z) as c
select a.k as x, b.k as y, c.k as z from (select 1 as k, 2 as id) as a join (select 1 as k, 20 as bv) as b using (k), (select 2 as k) as c
! select k from (select 1 as k, 2 as id) as a join (select 1 as k, 20 as bv) as b using (k) ${, (select 1 as k) as c; cross join (select 1 as k) as c; left join (select 1 as k) as c on c.k = a.k; join (select 1 as k) as c using (k), (select 1 as k) as d}
! select k from (select 1 as k) as d ${cross join; ,} ((select 1 as k, 2 as id) as a join (select 1 as k, 20 as bv) as b using (k))
! select * replace (5 as k) from (select 1 as k, 2 as id) as a join (select 1 as k, 20 as bv) as b using (k), (select 2 as k) as c
! select bv from (select 1 as k, 2 as id) as a join (select 1 as k, 20 as bv) as b using (k) join (select 1 as k) as c on c.k = a.k join (select 1 as k) as d using (k)
-- LEFT JOIN
select p.id, o.id as order_id from people as p left join orders as o on p.id = o.person_id order by p.id, order_id
select p.id, o.amount from people as p left outer join orders as o on p.id = o.person_id and o.amount > 20 order by p.id
select id, n from people left join (select person_id as id, count(*) as n from orders group by id) using (id) order by id
-- RIGHT JOIN
! select * from unnest([1]) as x right join unnest([x, 2]) as y on true
select p.id, o.id as order_id from people as p right join orders as o on p.id = o.person_id order by order_id
-- FULL JOIN
! select * from unnest([1]) as x full join unnest([x, 2]) as y on true
select p.id, o.id as order_id from people as p full join orders as o on p.id = o.person_id order by p.id, order_id
select x, a, b from (select 1 as x, 'l' as a) full outer join (select 2 as x, 'r' as b) using (x) order by x
select x from unnest([1]) as x full join unnest([2]) as x using (x) order by x
select a, cast(a as string) as s, a / 2 as h from (select ${1; cast(1 as numeric); cast(null as int64)} as a) as x full join (select ${2.5; cast(2.5 as numeric)} as a) as y using (a) order by a
select sum(id) as s from people full join (select 2.5 as id union all select 1) as o using (id)
select a from (select struct(1 as p) as a) as x full join (select struct(2.5 as p) as a) as y using (a)
select a from (select date '2024-01-01' as a) as x full join (select datetime '2024-01-02 10:00:00' as a) as y using (a) order by a
select a from (select 1 as a) as x ${inner; left; right} join (select 1.0 as a) as y using (a)
select k, id, z from (select 1 as k, 2 as id) as a full join (select 3 as k) as b using (k) right join (select 3 as z union all select 5) as c on k = z order by z
-- CROSS JOIN
select p.id, t.x from people as p cross join (select 1 as x union all select 2) as t order by p.id, t.x
select a, b from (select 1 as a) cross join (select 2 as b)
-- Comma join
select p.id, o.id as order_id from people as p, orders as o where p.id = o.person_id order by order_id
select a, b from (select 1 as a), (select 2 as b)
-- UNNEST
select x from unnest([3, 1, 2]) as x order by x
select * from unnest([1, 2]) as n order by n
select * from unnest([1, 2])
select s.a, b from unnest([struct(1 as a, 'x' as b), (2, 'y')]) as s order by a
select a, b from unnest([struct(1 as a, 'x' as b), (2, 'y')]) order by a
select x from unnest(cast(null as array<int64>)) as x
select x from unnest(cast([] as array<int64>)) as x
select x from unnest([null, 1]) as x order by x
select count(*) from unnest([struct(1 as a), null])
select * from unnest([struct(1 as a, 'x' as b)])
select x from unnest(generate_array(1, 5)) x where mod(x, 2) = 1 order by x
-- UNNEST WITH OFFSET
select x, position from unnest(['a', 'b', 'c']) as x with offset as position order by position
select x, offset from unnest(['a', 'b', 'c']) as x with offset order by offset
select o.id, tag, n from orders as o, unnest(o.tags) as tag with offset as n order by o.id, n
-- UNNEST of a column
select o.id, tag from orders as o, unnest(o.tags) as tag order by o.id, tag
select o.id, tag from orders as o cross join unnest(tags) as tag order by o.id, tag
select o.id, tag from orders as o cross join unnest(tags) as tag with offset as place on place = 0 or o.id = 2 order by o.id, tag
select a, b from unnest([1, 2, null]) as a cross join unnest([2, 3, null]) as b on a = b or b = 3 order by a, b
select a from unnest([1, 2, 3]) as a cross join unnest([2, 3, 4]) as a using (a) order by a
select o.id, i.sku, i.quantity from orders as o, unnest(o.items) as i order by o.id, i.sku
select o.id, sku from orders as o, unnest(items) order by o.id, sku
select o.id, i.sku, p from orders as o, unnest(o.items) as i, unnest(i.prices) as p order by o.id, i.sku, p
select o.id, tag from orders as o left join unnest(o.tags) as tag order by o.id, tag
select o.id, i.sku from orders as o left join unnest(o.items) as i on true order by o.id, i.sku
select o.id, tag from orders as o inner join unnest(o.tags) as tag order by o.id, tag
select o.id, tag from orders as o, o.tags as tag order by o.id, tag
select o.id, i.sku from orders as o, o.items as i where i.quantity > 1 order by o.id
select r.id, m.project, q.path from requests as r, unnest(r.metadata) as m, unnest(m.request) as q order by r.id
select r.id, q.path, h.agent from requests as r cross join unnest(metadata) as m cross join unnest(m.request) as q
  left join unnest(q.headers) as h order by r.id
select r.id, s.status_code from requests as r left join unnest(r.metadata) as m left join unnest(m.response) as s order by r.id
select id, (select count(*) from unnest(tags)) as n from orders order by id
select id, (select string_agg(t, ',' order by t) from unnest(tags) as t) as all_tags from orders order by id
select id, (select sum(quantity) from unnest(items)) as n from orders order by id
select id from orders as o where exists (select 1 from unnest(o.items) as i where i.sku = 'A') order by id
select m.project, count(*) as n from requests as r, r.metadata as m group by m.project order by n, 1
select timestamp_trunc(r.timestamp, minute) as t, countif(s.status_code >= 400) as bad from requests as r
  cross join unnest(r.metadata) as m cross join unnest(m.response) as s group by t order by t
with t as (select 1 as id, [struct('a' as k, 1 as q, ['x', 'y'] as l), ('b', 2, ['z']), ('c', null, []), (null, 3, null)] as items union all select 2, [] union all select 3, null) select id, s from t, unnest(${t.items.k; items.q; items.l; items[offset(0)].l}) as s
with t as (select 1 as id, [struct('a' as k, 1 as q, ['x', 'y'] as l), ('b', 2, ['z']), ('c', null, []), (null, 3, null)] as items union all select 2, []) select id, s, o from t left join unnest(t.items.${k; l}) as s with offset o
with t as (select 1 as id, [struct('a' as k, 1 as q, ['x', 'y'] as l), ('b', 2, ['z']), ('c', null, []), (null, 3, null)] as items union all select 2, [] union all select 3, null) select id, (select sum(q) from unnest(items.q) as q), 'z' in unnest(items.l), 'q' not in unnest(t.items.l), 'q' in unnest(items.k) from t
with t as (select [struct([struct(['p', 'q'] as n), struct(['r'])] as m), struct([struct(['s'])])] as items) select x from t, unnest(items.m${.n; [offset(0)].n; .n[offset(0)]; .n[safe_offset(1)]}) as x
with t as (select [struct(struct('a' as k) as s), struct(struct('b')), struct(null), null] as items) select x from t, t.items.s.k as x
select x from unnest([struct(json '{"z":1}' as k), struct(json '{"z":2}')].k.z) as x
! with t as (select [struct('a' as k)] as items) select ${items.k; array_length(items.k); array_concat(items.k, ['z'])} from t
! with t as (select [struct('a' as k)] as items) select x from t, unnest(items.${nope; k.z}) as x
select r.id from requests as r, unnest(metadata) as m where ${'z' not between m.project and 'a'; not m.project in (select name from people where false)} order by id
-- Field access
select m.project from requests, unnest(metadata) as m order by project
select metadata[safe_offset(0)].project from requests order by id
select metadata[safe_offset(0)].request[safe_offset(0)].path from requests order by id
select r.metadata[safe_offset(0)].response[safe_offset(0)].status_code as s from requests as r order by r.id
select items[safe_offset(0)].sku from orders order by id
select (select as struct id, name from people where id = 1).name
select s.b, s[offset(1)] from (select struct(1 as a, 2 as a, 3 as b) as s)
select x.b from (select struct(1 as a, 2 as A, 3 as b) as s), unnest([s, s]) as x
-- Table paths with project and dataset
select id from my-project.logs.people order by id <=> select id from people order by id
select p.name from `my-project.logs.people` as p order by p.id <=> select name from people order by id
select people.id from `my-project`.logs.people order by people.id <=> select id from people order by id
! select * from my-project.logs.missing
-- Window: OVER
select x, k, sum(1) over (partition by k, k order by x) as a, sum(1) over (partition by k, x order by x rows between unbounded preceding and 1 preceding) as b from unnest([struct(1 as x, 'a' as k), (2, 'a'), (3, null), (4, null)]) order by x
select x, nullif(sum(1) over (partition by k, x rows between 1 preceding and 1 preceding), sum(2) over (partition by k, k)) as n from unnest([struct(1 as x, 'a' as k), (2, 'a'), (3, null)]) order by x
select id, sum(id) over () as s from people order by id
select id, sum(id) over (order by id) as s from people order by id
select id, sum(score) over (partition by team order by id) as s from people order by id
select id, count(*) over (partition by team) as n from people order by id
select id, avg(score) over (order by id rows between 1 preceding and 1 following) as a from people order by id
select team, sum(count(*)) over () as n from people group by team order by team
select id, max(id) over (partition by team order by id desc) as m from people order by id
select id, array_agg(id) over (order by id) as a from people order by id
select id, string_agg(name) over (order by id) as a from people order by id
-- Window: ROWS
select id, sum(id) over (order by id rows ${unbounded preceding; 1 preceding; between current row and 1 following; between 2 preceding and 1 preceding; between unbounded preceding and unbounded following; between 1 following and 2 following}) as s from people order by id
-- Window: RANGE
select x, sum(x) over (order by x range between ${1 preceding and 1 following; unbounded preceding and current row; current row and 2 following}) as s from unnest([1, 2, 2, 4, 7]) as x order by x
select x, count(*) over (order by x range between unbounded preceding and unbounded following) as n from unnest([1, null]) as x order by x
-- Window: named
select id, sum(id) over w as s, count(*) over w as n from people window w as (partition by team order by id) order by id
select id, sum(id) over (w rows between 1 preceding and current row) as s from people window w as (order by id) order by id
-- TABLESAMPLE
! select x from unnest([1]) as x tablesample system (10 percent)
select count(*) from people tablesample system (100 percent)
select count(*) >= 0 from people tablesample system (10 percent)
-- PIVOT
! select * from (select 1 as v, 'a' as k) pivot (coalesce(sum(v), 0) for k in ('a'))
! select * from (select 1 as v, 'a' as k) pivot (sum(v) + 1 for k in ('a'))
select * from (select 1 as v, 'a' as k) pivot ((sum(v)) as s, count(*) as n for k in ('a'))
select * from (select team, active, score from people where team is not null) pivot (sum(score) for active in (true as yes, false as nope)) order by team
select * from (select id, team from people) pivot (count(*) for team in ('red', 'blue'))
select * from (select 'a' as x, 1 as y, 3 as z) pivot(max(z) for (x, y) in (('a', 1), ('b', -2), (null, 3), ('c', 4) as other))
select * from (select 'a' as x, true as y, 3 as z) pivot(max(z) as m for struct(x, y) in (struct('a', true), ('b', false), struct('c' as q, true)))
select * from (select 'a' as x, 1 as y, 3 as z) pivot(max(z) as m for struct(x, struct(y)) in (('a', struct(1))))
select * from (select 1 as v, date '2024-01-02' as k) pivot(any_value(v) for k in ('2024-01-02', '2024-1-3', date '2024-1-4', null, '2024-01-05' as other))
select * from (select 1 as v, date '2024-01-02' as k) pivot(any_value(v) as m for k in ('2024-01-02', '2024-01-03' as other))
! select * from (select 1 as v, ${timestamp '2024-01-02'; datetime '2024-01-02'} as k) pivot(any_value(v) for k in ('2024-01-02'))
select * from (select 1 as v, ${timestamp '2024-01-02'; datetime '2024-01-02'; cast('2024-01-02' as date)} as k) pivot(any_value(v) for k in (null, '2024-01-02' as x))
! select * from (select 1 as v, time '10:00:00' as k) pivot(any_value(v) for k in ('10:00:00'))
select * from (select 1 as v, ${numeric; bignumeric} '1.5' as k) pivot(any_value(v) for k in (1, 1.50, -2.50, 1e2, numeric '1.5' as other))
select * from (select 1 as v, 1.5 as k) pivot(any_value(v) for k in (null, 1.5 as x))
! select * from (select 1 as v, 1.5 as k) pivot(any_value(v) for k in (1))
! select * from (select 1 as v, 1 as k) pivot(any_value(v) for k in (-(-1)))
select * from (select 1 as v, struct(date '2024-01-02' as d, 1 as n) as k) pivot(any_value(v) for k in (('2024-1-2', 1), (date '2024-01-03', null)))
! select * from (select 1 as v, struct(timestamp '2024-01-02' as d, 1 as n) as k) pivot(any_value(v) for k in (('2024-01-02', 1)))
select * from (select 1 as v, 'a-b' as k) pivot(any_value(v) for k in ('a-b', '', '_x', ' ', '1', null))
select * from (select 1 as v, '' as k) pivot(any_value(v) as m for k in ('a-b', '', '_x', '1'))
select * from (select 1 as v, struct('' as a, 'b') as k) pivot(any_value(v) for k in (('', 'b'), ('x', '')))
select * from (select 1 as v, struct('', 'b') as k) pivot(any_value(v) for k in (('', 'b'), ('x', ''), ('', ''), ('1', '2')))
select * from (select 1 as v, struct(date '2024-01-02', struct('a' as `1a`)) as k) pivot(any_value(v) for k in ((null, struct('a')), ('2024-01-02', struct('1'))))
select * from (select 1 as v, struct(1, struct('a')) as k) pivot(any_value(v) for k in ((1, struct('a')), (-1, struct('1'))))
! select * from (select 1 as v, 1 as k) pivot(any_value(v) for k in (${1.5; numeric '1'} as a))
! select * from (select 1 as v, date '2024-01-02' as k) pivot(any_value(v) for k in (datetime '2024-01-02' as a))
! select * from (select 1 as v, numeric '1' as k) pivot(any_value(v) for k in (bignumeric '1' as a))
-- UNPIVOT
! select * from (select 10 as a, 20.5 as b) unpivot (v for k in (a, b))
! select * from (select 10 as a, numeric '20.5' as b) unpivot (v for k in (a, b))
! select * from (select date '2024-01-01' as a, datetime '2024-01-01' as b) unpivot (v for k in (a, b))
! select * from (select struct(1 as x) as a, struct(1 as y) as b) unpivot (v for k in (a, b))
! select * from (select 1 as a, 2 as b, 'x' as c, 'y' as d) unpivot ((v, w) for k in ((a, c), (d, b)))
! from (select 1 as a, 2.5 as b) |> unpivot (v for k in (a, b))
select * from (select null as a, 2 as b) unpivot (v for k in (a, b))
select * from (select struct(1 as x) as a, struct(2 as X) as b) unpivot (v for k in (a, b)) order by k
select * from (select 1 as id, 10 as a, 20 as b) unpivot (v for k in (a, b)) order by k
select * from (select 1 as id, 10 as a, cast(null as int64) as b) unpivot include nulls (v for k in (a as 'x', b as 'y')) order by k
select * from (select 10 as a, 20 as b) unpivot (v for k in (a as 1, b as 2)) order by v
select * from (select 10 as a, 20 as b) unpivot (v for k in (a, b as 'a')) order by v
! select * from (select 10 as a, 20 as b) unpivot (v for k in (a as 1, b ${; as 'x'}))
! select * from (select 10 as a, 20 as b) as t unpivot (v for k in (${a; A; t.a}, a))
! select * from (select 10 as a, 20 as b, 30 as c) unpivot ((v, w) for k in (${(a, b), (b, c); (a, a)}))
-- Aggregate DISTINCT
select count(distinct team), sum(distinct score) from people
select array_agg(distinct team ignore nulls order by team) from people
-- Aggregate ORDER BY and LIMIT
select array_agg(name ignore nulls order by id desc limit 2) from people
select string_agg(name, ',' order by name limit 3) from people
-- Aggregate IGNORE NULLS
select array_agg(score ignore nulls order by id) from people
select array_agg(score order by id) from people
-- Aggregate HAVING MAX and MIN
select count(distinct x having max y) as n from unnest([struct(${0.0; cast('nan' as float64)} as x, 1 as y), (-0.0, 1), (cast('nan' as float64), 1), (1.0, 1), (null, 1), (7.0, 0)])
select count(distinct x having max y) as n from unnest([struct(interval 1 day as x, 1 as y), (interval 24 hour, 1), (interval 2 day, 1)])
select any_value(name having max id) from people
select (select max('a' having max p.id) from unnest([1, 2]) as q) as a from people as p order by 1
select (select max('a' having max p.id) from unnest([1, 2]) as q) as a from people as p where p.id > 100
select (select max(q having min p.id) from unnest([1, 2]) as q) as a from people as p order by 1
select any_value(name having min score) from people where score < 0
select max(score having min id) from people
select any_value(t.x having ${max; min} t.y) as a from unnest([struct(1 as x, 2.0 as y), (7, 5.0), (7, 5.0), (null, -1.0), (3, cast('${nan; 0}' as float64)), (4, null)]) as t
select any_value(t.x having ${max; min} t.y) as a from unnest([struct(1 as x, 2 as y), (null, 5), (null, -1), (4, null)]) as t
select any_value(t.x having ${max; min} t.y) as a from unnest([struct([1] as x, ${numeric '1.5'; bignumeric '2.5'; 'a'; b'a'; true; date '2024-01-01'; time '10:00:00'; timestamp '2024-01-01 00:00:00+00'; cast('-inf' as float64)} as y), ([2], null)]) as t
select any_value(distinct t.x having ${max; min} t.y) as a from unnest([struct('b' as x, 1 as y), ('b', 1), ('a', 2), (null, 2)]) as t
-- Unknown names are refused
! no_such_function(1)
! op_add(1, 2)
! op_concat('a', 'b')
! cast_string(1)
! at_offset([1], 0)
! timestamp_of(0)
! floor_to(5, 2)
! date_diff_day(date '2024-01-01', date '2024-01-02')
! timestamp_trunc_day(timestamp '2024-01-01')
! list_value(1, 2)
! epoch_us(timestamp '2024-01-01')
! strftime(date '2024-01-01', '%Y')
! date_trunc('day', date '2024-01-01')
! regexp_matches('a', 'a')
! len('a')
! bq.upper('a')
! main.upper('a')
! getenv('HOME')
! current_setting('memory_limit')
! 1::string
! 7 // 2
! 7 % 2
! 2 ** 3
! 'a' ~ 'b'
! 'a' ilike 'A'
! [x * 2 for x in [1, 2]]
! {'a': 1}
! select * from read_csv('people.csv')
! select * from 'people.csv'
! select * from duckdb_tables()
! select * from range(3)
! select * from no_such_table
! select * from sqlite_master
! select * from people limit 10%
! select columns('.*') from people
! select id from people order by all
! select * from people as of timestamp '2024-01-01'
! select distinct on (team) team, id from people
! select $1
! select 1; select 2
-- Subqueries in windows
select id, sum(id) over (order by (select count(*) from unnest(tags)) range between 1 preceding and current row) as s from orders order by id
select id, sum(id) over w as s from orders window w as (order by (select max(i.quantity) from unnest(items) as i) desc range between 2 preceding and unbounded following) order by id
select id from orders qualify count(*) over (order by (select cast(count(*) as float64) from unnest(tags)) range between 1 preceding and 1 following) > 3 order by id
select person_id, sum(count(*)) over (order by (select max(x) from unnest([person_id, 2]) as x) range between 1 preceding and current row) as s from orders group by person_id order by person_id
select id, rank() over (partition by (select count(*) from unnest(tags)) order by (select max(i.sku) from unnest(items) as i), id) as r from orders order by id
select distinct sum(id) over (order by (select numeric '0.5' * count(*) from unnest(tags)) range between numeric '0.5' preceding and current row) as s from orders order by s
select array_agg(id order by (select count(*) from unnest(tags)) desc, id limit 2) as ids from orders
-- Correlated subquery
select id from people where exists (select 1 from orders where orders.person_id = people.id and extract(year from people.seen) = 2024 and timestamp_trunc(people.seen, month) < people.seen) order by id
select id, (select max(timestamp_diff(timestamp_trunc(r.timestamp, hour), r.timestamp, second)) from unnest(r.metadata) as m, unnest(m.request) as q where datetime(r.timestamp) > datetime(date(r.timestamp))) as n from requests as r order by id
select id, array(select as struct date(people.seen) as day, o.id from orders as o where o.person_id = people.id order by o.id) as days from people order by id
select id, (select count(*) from unnest(array(select as struct date(people.seen) as day, instr(people.name, tag) as place from unnest(['a', 'e']) as tag)) as x where x.place > 0) as n from people order by id
select id, (select sum(pow(people.id, 2) + nullif(o.id, people.id + 9)) from orders as o) as s from people order by id
select p.id, (select string_agg(x, '-' order by x) from unnest([p.name, ifnull(cast(o.amount as string), '!')]) as x where safe_cast('1' as int64) = 1) as s from people as p left join orders as o on p.id = o.person_id order by p.id, o.id
select team, count(*) as n from people group by team having nullif(count(*), (select 1)) = 2 order by team
-- LIMIT below a join
with c as (select a.id as k, b.id as x from people as a join people as b on a.team = b.team or a.id = b.id order by b.id desc, a.id desc limit 2) select v, c.x from unnest([1, 2, 3]) as v left join c on c.k = v order by 1, 2
select v, c.x from unnest([1, 2, 3]) as v left join (select a.id as k, b.id as x from people as a cross join people as b order by b.id desc, a.id desc limit 2) as c on c.k = v order by 1, 2
select v from unnest([1, 2]) as v join (select a as k from unnest([1, 2, 3, 4, 5, 6]) as a join unnest([1, 2, 3, 4, 5, 6]) as b on a = b order by a desc limit 3) as c on c.k = v
select v from unnest([1, 2]) as v where v in (select a from unnest([1, 2, 3, 4, 5, 6]) as a join unnest([1, 2, 3, 4, 5, 6]) as b on a = b order by a desc limit 3)
select c.k, e.name from (select b.id as k from people as a left join people as b on b.id = a.id order by 1 desc limit 2) as c join people as e on e.id = c.k where e.id < 3 and e.active
with c as (select * from (select b.id as k from people as a left join people as b on b.id = a.id order by 1 desc limit 2 offset 1)) select c.k, e.name from c join people as e on e.id = c.k where e.active
select (select count(*) from (select b.id as k from people as a join people as b on b.id = a.id order by 1 desc limit 2) as c join people as e on e.id = c.k where e.id < 3 and e.active) as n
select id, (select count(*) from (select b.id as k from people as a join people as b on b.id = a.id where a.team = p.team order by 1 desc limit 2) as c join people as e on e.id = c.k where e.active) as n from people as p order by id
select c.k, e.name from (with x as (select b.id as k from people as a left join people as b on b.id = a.id) select k from x join people as p on p.id = x.k order by 1 desc limit 2) as c join people as e on e.id = c.k where e.active
-- Names of FROM items and columns
select (select n from (select struct(5 as n) as r) as d) as x from (select 1 as n) as r
select (select n from (select struct(5 as n) as R, 3 as z) as d where z > n) as x, r.n from (select 1 as n) as r
with c as (select struct(id as n) as r from people) select (select max(n) from c) as x from (select 1 as n) as r
select (select n from (select s.* from (select struct(struct(9 as n) as r) as s)) as d) as x from (select 1 as n) as r
select (select r.n from (select struct(5 as n) as r) as d) as x from (select 1 as n) as r
select array(select n from (select struct(x as n) as key from unnest([1, 2]) as x) as d) as x from (select 1 as n) as key
with r as (select 1 as n) select (select n from (select struct(5 as n) as r) as d) as x, (select count(*) from r) as c from r
! select 1 as one from people${, people; cross join people; as x join people as X on true; as x, (people as y cross join people as x); tablesample system (100 percent), people} where true
! select 1 as one from people as x, ${unnest([1]) as x; unnest([1]) as u with offset as x; unnest([1]) with offset, unnest([2]) with offset}
! select 1 as one from unnest([1]) as u with offset as ${u; U}
! select 1 as one from orders, orders.tags, ${orders.tags; unnest([1]) as tags}
! from people as x |> join people as x on true
select count(*) as n from people, (select 1 from people as people) as p2, unnest([1]), unnest([2]), orders, unnest(orders.tags), unnest(orders.tags)
select (select count(*) from people) as n from people order by id
-- UNION ALL BY NAME
! select 1 as a, 2 as b union all by name on (b) select 3 as b, 4 as a
! select 1 as a, 2 as b union all by name on (a, b) select 3 as b, 4 as a, 5 as c
! select 1 as a, 2 as b inner union all by name on (b, c) select 3 as b, 4 as a
! select 1 as a, 2 as b left union all by name on (b, c) select 3 as b, 4 as c
! select 1 as a, 2 as b full union all by name on (b, d) select 3 as b, 4 as c
! select 1 as a, 2 as b union all by name on (a, a) select 3 as b, 4 as a
select 1 as a, 2 as b union all by name on (b, a) select 3 as b, 4 as a
select 1 as a, 2 as b left union all by name on (b, a) select 3 as b, 4 as c
select 1 as a, 2 as b union all by name select 4 as b, 3 as a order by a
select 1 as a, 2 as b union distinct by name select 2 as b, 1 as a
select 1 as a, 'x' as b full union all by name select 2 as c, 3 as a order by a
select 1 as a, 'x' as b left union all by name select 2 as c, 3 as a order by a
select 1 as a, 'x' as b inner union all by name select 2 as c, 3 as a order by a
select 1 as a, 'x' as b full outer union all by name on (b, a) select 'y' as b, 3 as a order by a
select 1 as a, 2.5 as b union all by name select 4 as b, 3 as a order by a
select 1 as a, 2 as b intersect distinct by name select 2 as b, 1 as a
select 1 as a, 2 as b except distinct by name select 2 as b, 1 as a
select 1 as A union all by name select 2 as a order by 1
select cast(null as date) as d, 1 as a full union all by name select 2 as a order by a
select 1 as a, 2 as b union all by name select 3 as a, 4 as b union all by name select 6 as b, 5 as a order by a
! select 1 as a union all by name select 2 as b
! select 1 as a, 2 as a union all by name select 3 as a
! select 1 union all by name select 2 as a
select 1 as a ${inner; left; full} union all by name select count(*) as n, 5 as a from unnest([1, 2, 3])
-- CORRESPONDING
select 1 as a union all corresponding ${; by (a)} select count(*) as n, 5 as a from unnest([1, 2, 3])
select 1 as a union all corresponding select 5 as a, max(x) as n from unnest([1, 2, 3]) as x having count(*) > 5
select x from unnest([1, 2, 3]) as x except distinct corresponding select max(x) as m, 2 as x from unnest([1]) as x where false
! select 1 as a, 2 as b union all strict corresponding by (a) select 3 as b, 4 as a
! select 1 as a, 2 as b union all corresponding by (b, c) select 3 as b, 4 as a
select 1 as a, 2 as b union all strict corresponding by (b, a) select 3 as b, 4 as a
select 1 as a, 2 as b union all corresponding select 4 as b, 3 as a order by a
select 1 as a, 2 as b union all corresponding select 4 as c, 3 as a order by a
select 1 as a, 2 as b full union all corresponding select 4 as c, 3 as a order by a
select 1 as a, 2 as b left union all corresponding select 4 as c, 3 as a order by a
select 1 as a, 2 as b union all corresponding by (b) select 4 as b, 3 as a order by b
select 1 as a, 2 as b union all strict corresponding select 4 as b, 3 as a order by a
select 1 as a, 2 as b except distinct corresponding select 2 as b, 1 as a
! select 1 as a union all corresponding select 2 as b
