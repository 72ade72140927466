-- The output of functions while they ran: a boot and a shutdown for every cold start, an error for every failure, and for
-- some of the calls a line of their own.
WITH candidates AS (
  SELECT
    *,
    unnest([
      CASE WHEN cold THEN {event: 'Boot', level: 'log', later_ms: 0,
        message: 'booted (time: {number}ms)'} END,
      CASE WHEN status < 400 AND demo.chance(key, 'talks') < 0.3 THEN {event: 'Log', level: demo.pick(key, 'level', ['info', 'log', 'debug', 'warning']), later_ms: took // 2,
        message: demo.pick(key, 'line', ['request received', 'order {number} processed', 'cache miss', 'retrying upstream', 'rate limit at 80%'])} END,
      CASE WHEN status >= 500 THEN {event: 'UncaughtException', level: 'error', later_ms: took,
        message: demo.pick(key, 'exception', ['TypeError: Cannot read properties of undefined (reading ''id'')', 'Error: upstream answered 502', 'TimeoutError: Signal timed out.', 'SyntaxError: Unexpected end of JSON input'])} END,
      CASE WHEN cold THEN {event: 'Shutdown', level: 'log', later_ms: took + 60000, message: 'shutdown'} END
    ]) AS line
  FROM demo.invocations($from - INTERVAL 10 MINUTE, $to)
),
dated AS (
  SELECT *, happened + to_milliseconds(line.later_ms) AS written FROM candidates WHERE line IS NOT NULL
)
SELECT
  demo.uuid(key, line.event) AS id,
  written AS "timestamp",
  demo.filled(line.message, key) AS event_message,
  [{
    deployment_id: deployment,
    event_type: line.event,
    execution_id: execution,
    function_id: function_id,
    level: line.level,
    project_ref: ref,
    region: region,
    "timestamp": demo.iso(written),
    version: version
  }] AS metadata
FROM dated
WHERE written >= $from AND written < $to
ORDER BY written;
