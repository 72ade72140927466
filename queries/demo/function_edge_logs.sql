-- One row for each call of a function, logged by the relay in front of it.
WITH calls AS (
  SELECT
    *,
    demo.pick(key, 'method', ['POST', 'GET', 'OPTIONS']) AS method,
    ref || '.example.co' AS host,
    '/functions/v1/' || slug AS path,
    demo.pick(key, 'search', ['', '?trace=1']) AS search,
    demo.pick(key, 'program', demo.programs()) AS program
  FROM demo.invocations($from, $to)
)
SELECT
  demo.uuid(key, 'id') AS id,
  happened AS "timestamp",
  concat_ws(' | ', method, status, 'https://' || host || path || search) AS event_message,
  CASE WHEN demo.chance(key, 'no metadata') >= 0.001 THEN [{
    deployment_id: deployment,
    function_id: function_id,
    project_ref: ref,
    version: version,
    execution_id: execution,
    execution_time_ms: took,
    request: [{
      host: host,
      method: method,
      pathname: path,
      protocol: 'https:',
      search: nullif(search, ''),
      url: 'https://' || host || path || search,
      headers: [{
        accept: '*/*',
        accept_encoding: 'gzip, br',
        content_length: CASE method WHEN 'POST' THEN CAST(demo.duration(key, 'body', 240, 0.8) AS VARCHAR) END,
        host: host,
        user_agent: program
      }]
    }],
    response: [{
      status_code: status,
      headers: [{
        content_length: CASE WHEN status <> 204 THEN CAST(demo.duration(key, 'length', 600, 1.0) AS VARCHAR) END,
        content_type: CASE WHEN status <> 204 THEN 'application/json' END,
        date: strftime(happened, '%a, %d %b %Y %H:%M:%S GMT'),
        server: 'cloudflare',
        vary: 'Accept-Encoding'
      }]
    }]
  }] ELSE [] END AS metadata
FROM calls;
