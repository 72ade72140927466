-- Pipe: SELECT and EXTEND
from people |> select * |> where id = 1
from people as p |> where p.id > 3 |> select *, p.id as again |> order by 1
from people |> extend id + 1 as next |> select * except (name) |> order by id
from people |> select * replace (id + 1 as id) |> order by id |> select id, team
from people as p |> extend 1 as one |> select p.* except (seen), one |> where id = 2
from people |> select id, name |> order by id
from people |> select id, id * 2 as twice |> where twice > 2 |> order by twice desc
from people |> select distinct team |> order by team
from people |> extend upper(name) as loud, id + 1 as next |> select loud, next, name |> order by next
from people |> extend row_number() over (partition by team order by id) as r |> where r = 1 |> select id, team, r |> order by id
from people as p |> extend p.id * 2 as d |> select p.id, d |> order by 1
from people |> select as value id |> limit 0
select array(from people |> select as struct id, name |> where id > 2 |> order by id |> limit 2) as r
select array(from people |> select as value struct(id as n) |> order by n) as r
select array(from people |> select distinct as struct team |> order by team) as r
select array(from people |> select as value id |> as v |> where v > 2 |> order by v) as r
from people |> select as struct id, team |> aggregate sum(id) as s group by team |> order by team
from people |> select as struct id, team |> as t |> where t.id > 2 |> select t.team |> order by team
! from people |> select as struct id, name |> drop name
! from people |> select as struct id, name |> rename name as who
! from people |> select as struct id, name |> set name = 'x'
select id from people |> where id > 2 |> order by id desc
from unnest([3, 1, 2]) as x with offset as o |> where o > 0 |> order by x
-- Pipe: SET, DROP, RENAME and AS
! from (select 1 as x, 2 as y) |> set x = 1, x = 2
! from (select 1 as x, 2 as y) |> rename x as z, x as w
! from (select 1 as x, 2 as y) |> drop x, x
from people |> set id = id * 10, name = lower(name) |> select id, name |> order by id
from people |> set id = id + 1 |> set id = id * 2 |> select id |> order by id
from people |> drop seen, joined |> where id = 1 |> select id, name
from people |> select id, name |> rename id as number, name as who |> order by number
from people |> select id, name |> rename id as name, name as id |> order by name
from people |> select id, team |> as t |> where t.id < 3 |> select t.team, t.id |> order by 2
from unnest(['X', 'x']) as tag |> set tag = lower(tag) |> aggregate count(*) as n group by tag
from unnest([1, 2, 3]) as x |> set x = x + 1 |> where x > 2 |> rename x as y |> order by y
from unnest([1, 2]) as x |> set x = 'a' |> where x = 'a'
from people as p cross join unnest([1, 2]) as n |> set n = n * 10 |> select p.id, n |> order by id, n
from unnest([10, 20]) as x with offset as o |> set o = 9 |> select x, o |> order by x
from (select 1 as t, 2 as b) as t |> set t = 7 |> select t
from (select 1 as a) as t |> extend 2 as t |> set t = 5 |> select t
! from (select 1 as t, 2 as b) as t |> set t = 7 |> select t.b
! from (select 1 as t, 2 as b) as t |> drop t |> select t
! from unnest([1, 2]) as x |> extend x as y |> drop x |> select x
from unnest([1, 2]) as a |> as b |> where b > 1 |> set b = b + 1
from unnest([1, 2]) as a |> as b |> as c |> extend c + 1 as d |> select c, d |> order by c
from unnest([struct(1 as f, 2 as g)]) as s |> where f = 1 |> set s = struct(s.g as h) |> select s
from unnest([struct(1 as f, 2 as g)]) as s with offset as o |> extend f + g as sum |> drop o
from unnest([struct(1 as f, 2 as g)]) as s |> extend 3 as y |> as t |> select t
from unnest([struct(1 as f, 2 as g)]) as s |> extend 3 as y |> select *
from people |> select as struct id, team |> as t |> set t = t.id |> order by t
! from unnest([struct(1 as f, 2 as g)]) as s |> set f = 5
! from unnest([struct(1 as f, 2 as g)]) as s |> as t |> select s
! from unnest([1, 2]) as a |> as b |> select b.a
! from unnest([1, 2]) as x |> rename x as y
! from (select 1 as a, 2 as b) as t |> rename t as u
! from (select 1 as a, 2 as b) as t |> drop t
! from (select 1 as a, 2 as b) |> drop a, b
! from people |> drop missing
! from people |> rename missing as x
! from people |> set missing = 1
-- Pipe: AGGREGATE
from people |> aggregate count(*) as n, sum(id) as s
from people |> aggregate count(*)
from people |> aggregate count(*) as n group by team |> order by team
from people |> aggregate count(*) as n group by team, active |> order by team, active
from people |> aggregate count(*) as n desc, max(id) as m group by team asc nulls last
from people |> aggregate count(*) as n group and order by team desc, active
from people |> aggregate group by team |> order by team
from people |> aggregate sum(id) as s group by upper(team) as t |> order by t
from people |> aggregate count(*) as n group by rollup(team) |> order by team, n
from people |> aggregate count(*) as n group by grouping sets (team, active, ()) |> order by n, team, active
from people |> aggregate array_agg(id order by id desc limit 2) as ids group by team |> order by team
from people |> aggregate count(*) as n group by team |> where n > 1 |> extend n * 2 as d |> order by team
from people |> where false |> aggregate count(*) as n, sum(id) as s
from people |> where false |> aggregate count(*) as n group by team
from people |> aggregate count(*) as n group by team as x, active as team |> order by x, team
from people |> aggregate count(*) as n group by active as team, upper(team) as active |> order by team, active
! from people |> aggregate count(*) as n group by upper(team) as x, x
! from people |> aggregate id
! from people |> aggregate count(*) as n group by ${1; 1 as k; rollup(1)}
! from people |> aggregate count(*) as n group and order by 1
! from people |> aggregate count(*) ${desc as n; as n group by team asc as t}
-- Pipe: WHERE, ORDER BY and LIMIT
from people |> where id > 1 |> where id < 4 |> order by id
from people |> order by id desc |> limit 2
from people |> order by id |> limit 2 offset 1 |> select id
from people |> order by id |> limit 3 |> order by id desc |> limit 1 |> select id
from people |> order by team desc nulls last, id |> select team, id
from people |> select name, id |> order by ${2 desc; (2) desc; 1 nulls last, 2 desc} |> limit 2
from people |> extend id * 2 as d |> drop team |> order by 1 desc |> limit 1
from unnest([3, 1, 2]) as x |> order by 1 desc
from people |> where rank() over (${order by id desc; partition by team order by id}) = 1 and id > 1 |> select id, team |> order by id
from people |> where count(*) over () > 1 |> where id > 3 |> select id |> order by id
from people |> select id |> order by id |> limit 3 |> where row_number() over (order by id desc) <= 2 |> aggregate sum(id) as s
from people |> aggregate count(*) as c group by team |> where rank() over (order by c desc, team) = 1
! from people |> ${where count(*) > 1; where rank() over (order by count(*)) = 1; order by count(*)} |> select id
! from people |> select id |> order by ${2; 0; -1; 'x'; null; 1.5; true}
from people |> aggregate count(*) as n group by team |> order by n desc, team |> limit 1
-- Pipe: JOIN
from (select 1 as a) as x |> full join (select 2.5 as a) as y using (a) |> extend cast(a as string) as s |> order by a
from (select 1 as k, 2 as id) as a join (select 1 as k, 20 as bv) as b using (k) |> cross join (select 2 as k) as c |> select a.k as x, b.k as y, c.k as z
from (select 1 as k, 2 as id) as a |> join (select 1 as k, 20 as bv) as b using (k) |> join (select 2 as id) as c using (id)
! from (select 1 as k, 2 as id) as a join (select 1 as k, 20 as bv) as b using (k) |> cross join (select 2 as k) as c |> select k
from people as p |> join (select 1 as id, 'x' as y) as u using (id) |> select * except (seen, joined)
from people as p |> join unnest([1, 2]) as x on x = p.id |> select p.id, x |> order by 1
from people as p |> left join (select 1 as id, 'one' as word) as w using (id) |> select id, word |> order by id
from people as p |> as q |> inner join people as r on r.id = q.id + 1 |> select q.id, r.id as other |> order by 1
from people as p |> cross join unnest([1, 2]) as x |> aggregate count(*) as n
from people as p |> full join (select 9 as id) as w using (id) |> select id |> order by id
from people |> select id |> where id < 3 |> as a |> join people as b on a.id < b.id |> aggregate count(*) as n
-- Pipe: WITH and TABLESAMPLE
from people |> with small as (select 1 as id union all select 3) |> join small using (id) |> select id, name |> order by id
from people |> with a as (select 2 as n), b as (select n + 1 as n from a) |> where id in (select n from b) |> select id
with t as (select 1 as n) from t |> with t as (select n + 1 as n from t) |> select (select n from t) as n
from people |> with recursive r as (select 1 as n union all select n + 1 from r where n < 3) |> join r on n = id |> select n |> order by n
select * from (from people |> with t as (select 1 as n) |> where id in (select n from t) |> select id)
from people |> tablesample system (100 percent) |> select id |> order by id
from people |> select id, team |> tablesample system (0 percent) |> aggregate count(*) as n
-- Pipe: set operations
from people |> select id |> union all (select 9) |> order by id
from people |> select id |> union all (select 9), (select 10) |> order by id
from people |> select team |> union distinct (select 'red'), (select cast(null as string)) |> order by team
from people |> select team |> except distinct (select 'red') |> order by team
from people |> select team |> intersect distinct (select 'red')
from people |> select id, team |> union all by name (select 'x' as team, 9 as id) |> order by id
from people |> select id, team |> full union all by name (select 'x' as other, 9 as id) |> order by id
-- Pipe: windows, PIVOT and UNPIVOT
from people |> select team, active, id |> pivot (sum(id) as s for active in (true as t, false as f)) |> order by team
from people |> window sum(id) over (partition by team order by id) as running |> select id, running |> order by id
from people |> select id, name, team |> unpivot (text for field in (name, team)) |> order by id, field
with a as (from people |> where id > 2) from a |> aggregate count(*) as n
select * from (from people |> select id |> where id = 1)
select (from people |> aggregate max(id)) as m
select exists(from people |> where id > 100) as e, 3 in (from people |> select id) as f
with recursive r as (select 1 as n union all (from r |> where n < 3 |> select n + 1)) from r |> order by n
