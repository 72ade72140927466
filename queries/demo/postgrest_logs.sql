-- The log of the REST API server about itself.
SELECT
  demo.uuid(key, 'id') AS id,
  happened AS "timestamp",
  strftime(happened, '%d/%b/%Y:%H:%M:%S +0000: ') || demo.filled(demo.pick(key, 'message', [
    'Schema cache queried in {number}.1 milliseconds',
    'Config reloaded',
    'Schema cache loaded 38 Relations, 24 Relationships, 61 Functions, 0 Domain Representations, 4 Media Type Handlers',
    'Listening for database notifications on the "pgrst" channel',
    'Failed listening for database notifications on the "pgrst" channel. server closed the connection unexpectedly'
  ]), key) AS event_message,
  ref AS project,
  [{host: 'rest-' || ref}] AS metadata
FROM demo.events('postgrest', 300, 1, $from, $to);
