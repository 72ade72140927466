-- The log of the connection pooler: its statistics, and clients that connect and disconnect.
SELECT
  demo.uuid(key, 'id') AS id,
  happened AS "timestamp",
  demo.filled(demo.pick(key, 'message', [
    'LOG stats: {number} xacts/s, {number} queries/s, in 2{number} B/s, out 9{number} B/s',
    'LOG C-0x{code}: postgres/authenticator@10.0.0.8:4{number} login attempt: db=postgres user=authenticator tls=no',
    'LOG C-0x{code}: postgres/authenticator@10.0.0.8:4{number} closing because: client close request (age={number}s)',
    'WARNING C-0x{code}: postgres/authenticator@10.0.0.8:4{number} pooler error: query_wait_timeout'
  ]), key) AS event_message,
  ref AS project,
  [{host: 'pooler-' || region}] AS metadata
FROM demo.events('pgbouncer', 120, 1, $from, $to);
