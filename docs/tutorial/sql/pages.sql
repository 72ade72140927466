-- Pages by views, with visitors and the time that they spent there.
SELECT
  (SELECT value.string_value FROM UNNEST(event_params) WHERE key = 'page_location') AS page,
  COUNTIF(event_name = 'page_view') AS views,
  COUNT(DISTINCT user_pseudo_id) AS visitors, -- browsers that opened it
  ROUND(SUM((SELECT value.int_value FROM UNNEST(event_params) WHERE key = 'engagement_time_msec')) / 1000, 1) AS seconds -- all visitors together
FROM `my-shop.analytics_345678901.events_*`
WHERE _TABLE_SUFFIX BETWEEN '20260901' AND '20260902'
  AND event_name IN ('page_view', 'user_engagement')
GROUP BY page ORDER BY views DESC, page LIMIT 50;
