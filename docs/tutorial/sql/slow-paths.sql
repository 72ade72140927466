-- Paths of a site by errors, over the last hours
SELECT
  REGEXP_EXTRACT(request, r'^[A-Z]+ ([^ ?]+)') AS path,
  COUNT(*),
  ROUND(COUNTIF(status >= 500) / COUNT(*) * 100, 1) AS `Errors %`,
  APPROX_QUANTILES(request_time, 100)[OFFSET(95)] AS p95 -- seconds that 95 of 100 requests took at most
FROM weblogs.nginx_access
WHERE time_local > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 24 HOUR) AND host = 'shop.example'
  AND NOT REGEXP_CONTAINS(http_user_agent, r'(?i)bot|spider')
GROUP BY path HAVING COUNT(*) >= 2
ORDER BY `Errors %` DESC, path LIMIT 20
