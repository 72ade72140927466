#standardSQL
/* What happened in a repository, by day. */
WITH events AS (
  SELECT
    DATE(created_at) AS day, actor.login, type, JSON_VALUE(payload, '$.action') AS action,
    JSON_VALUE(payload, '$.pull_request.merged') = 'true' AS is_merged
  FROM `githubarchive.day.2026*`
  WHERE _TABLE_SUFFIX >= '1101' AND repo.name = 'example/rocket' AND NOT ENDS_WITH(actor.login, '[bot]')
)
SELECT
  day,
  COUNTIF(type = 'WatchEvent') AS stars,
  COUNTIF(type = 'IssuesEvent' AND action = 'opened') AS issues, -- issues that were opened
  COUNTIF(type = 'PullRequestEvent' AND action = 'closed' AND is_merged) AS merged, -- pull requests that were merged
  COUNT(DISTINCT login) AS people -- people who did anything, without bots
FROM events
GROUP BY day
ORDER BY day
