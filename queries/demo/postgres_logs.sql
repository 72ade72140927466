-- The log of the database: connections, checkpoints, slow statements, and mistakes of its clients.
WITH described AS (
  SELECT
    *,
    demo.pick(key, 'message', [
      {severity: 'LOG', state: '00000', tag: 'authentication', message: 'connection authorized: user=authenticator database=postgres application_name=postgrest', query: NULL, hint: NULL, detail: NULL, backend: 'client backend', user: 'authenticator', program: 'postgrest'},
      {severity: 'LOG', state: '00000', tag: 'idle', message: 'disconnection: session time: 0:01:12.{number}', query: NULL, hint: NULL, detail: NULL, backend: 'client backend', user: 'authenticator', program: 'postgrest'},
      {severity: 'LOG', state: '00000', tag: NULL, message: 'checkpoint complete: wrote {number} buffers', query: NULL, hint: NULL, detail: NULL, backend: 'checkpointer', user: NULL, program: NULL},
      {severity: 'ERROR', state: '23505', tag: 'INSERT', message: 'duplicate key value violates unique constraint "profiles_email_key"', query: 'insert into profiles (email) values ($1)', hint: NULL, detail: 'Key (email)=(ada@example.com) already exists.', backend: 'client backend', user: 'authenticator', program: 'postgrest'},
      {severity: 'LOG', state: '00000', tag: 'SELECT', message: 'duration: 1{number}.704 ms  execute <unnamed>', query: 'select * from orders where customer_id = $1 order by created_at', hint: NULL, detail: 'parameters: $1 = ''{number}''', backend: 'client backend', user: 'authenticator', program: 'postgrest'},
      {severity: 'ERROR', state: '42P01', tag: 'SELECT', message: 'relation "public.order" does not exist', query: 'select * from public.order', hint: NULL, detail: NULL, backend: 'client backend', user: 'postgres', program: 'psql'},
      {severity: 'WARNING', state: '25001', tag: 'BEGIN', message: 'there is already a transaction in progress', query: 'begin', hint: NULL, detail: NULL, backend: 'client backend', user: 'postgres', program: 'node'},
      {severity: 'NOTICE', state: '42P07', tag: 'CREATE TABLE', message: 'relation "audit" already exists, skipping', query: 'create table if not exists audit (id bigint)', hint: NULL, detail: NULL, backend: 'client backend', user: 'postgres', program: 'migrate'},
      {severity: 'ERROR', state: '42703', tag: 'SELECT', message: 'column orders.custmer_id does not exist', query: 'select custmer_id from orders', hint: 'Perhaps you meant to reference the column "orders.customer_id".', detail: NULL, backend: 'client backend', user: 'authenticator', program: 'postgrest'},
      {severity: 'FATAL', state: '28P01', tag: 'authentication', message: 'password authentication failed for user "postgres"', query: NULL, hint: NULL, detail: 'Connection matched file "pg_hba.conf" line 95', backend: 'client backend', user: 'postgres', program: NULL}
    ]) AS said
  FROM demo.events('postgres', 60, 1.5, $from, $to)
),
sessions AS (
  SELECT
    *,
    happened - to_seconds(demo.between(key, 'age', 1, 7200)) AS began,
    demo.between(key, 'process', 1000, 400000) AS process
  FROM described
)
SELECT
  demo.uuid(key, 'id') AS id,
  happened AS "timestamp",
  demo.filled(said.message, key) AS event_message,
  ref AS project,
  [{
    host: 'db-' || ref,
    parsed: [{
      backend_type: said.backend,
      command_tag: said.tag,
      connection_from: CASE said.backend WHEN 'client backend' THEN '10.0.' || demo.between(key, 'net', 0, 9) || '.' || demo.between(key, 'host', 2, 250) || ':' || demo.between(key, 'port', 32768, 60999) END,
      database_name: CASE said.backend WHEN 'client backend' THEN 'postgres' END,
      error_severity: said.severity,
      session_id: printf('%x.%x', CAST(epoch(began) AS BIGINT), process),
      session_start_time: strftime(began, '%Y-%m-%d %H:%M:%S UTC'),
      sql_state_code: said.state,
      "timestamp": strftime(happened, '%Y-%m-%d %H:%M:%S.%g UTC'),
      user_name: said.user,
      virtual_transaction_id: demo.between(key, 'backend', 3, 90) || '/' || demo.between(key, 'transaction', 1, 99999),
      detail: demo.filled(said.detail, key),
      hint: said.hint,
      query: said.query,
      application_name: said.program,
      process_id: process,
      query_id: CASE WHEN said.query IS NOT NULL THEN CAST(hash(said.query) >> 1 AS BIGINT) END,
      session_line_num: demo.between(key, 'line', 1, 60),
      transaction_id: CASE WHEN said.severity IN ('ERROR', 'WARNING') THEN demo.between(key, 'xid', 700000, 900000) ELSE 0 END
    }]
  }] AS metadata
FROM sessions;
