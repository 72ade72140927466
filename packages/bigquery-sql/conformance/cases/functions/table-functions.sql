-- GAP_FILL
select * from gap_fill((select timestamp '2024-01-01 00:30:00' as t, 1 as n union all select timestamp '2024-01-01 03:00:00', 6), 't', interval 1 hour, value_columns => [('n', ${'null'; 'locf'; 'linear'})]) order by t limit 1
  <=> select timestamp '2024-01-01 01:00:00' as t, case ${1} when 'locf' then 1 when 'linear' then 2 end as n
select * from gap_fill((select team, joined, count(*) as n from people group by team, joined), 'joined', interval 2 year, ['team'], origin => date '2000-01-01') where team = 'blue'
  <=> select cast(null as date) as joined, '' as team, 0 as n limit 0
select g.* from gap_fill(table people, 'seen', interval 12 hour, value_columns => [('name', 'null')]) as g where name is not null
  <=> select timestamp '2024-01-01 00:00:00' as seen, 'Béla' as name
! select * from gap_fill(table people, 'name', interval 1 day)
! select * from gap_fill(table people, 'seen', interval 1 day, value_columns => [('name', 'linear')])
! select * from gap_fill(table people, 'nothing', interval 1 day)
-- RANGE_SESSIONIZE
select range_end(r) as e, range_end(session_range) as s from range_sessionize((select range(date '2024-01-01', date '2024-01-02') as r union all select range(date '2024-01-02', null)), 'r', [], ${'MEETS'; 'OVERLAPS'}) order by range_start(r)
  <=> select if(n = 1, date '2024-01-02', null) as e, if(n = 1 and ${1} = 'OVERLAPS', date '2024-01-02', null) as s from unnest([1, 2]) as n order by n
! select * from range_sessionize(table people, 'name', [])
