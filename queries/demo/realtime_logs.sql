-- The log of the realtime server: tenants that connect and disconnect, channels, and the number of connections.
WITH described AS (
  SELECT
    *,
    demo.pick(key, 'message', [
      {level: 'info', message: 'Tenant has {number} connected users', module: 'Elixir.Realtime.Tenants.Connect', function: 'handle_info/2', file: 'lib/realtime/tenants/connect.ex', line: 214, measured: true},
      {level: 'info', message: 'Billing metrics: [:realtime, :rate_counter, :channel, :events]', module: 'Elixir.Realtime.Telemetry.Logger', function: 'handle_event/4', file: 'lib/realtime/telemetry/logger.ex', line: 41, measured: true},
      {level: 'info', message: 'Starting a channel: realtime:room:{number}', module: 'Elixir.RealtimeWeb.RealtimeChannel', function: 'join/3', file: 'lib/realtime_web/channels/realtime_channel.ex', line: 97, measured: false},
      {level: 'warning', message: 'ChannelRateLimitReached: Too many channels', module: 'Elixir.RealtimeWeb.RealtimeChannel', function: 'limit_channels/1', file: 'lib/realtime_web/channels/realtime_channel.ex', line: 311, measured: false},
      {level: 'error', message: 'InvalidJWTToken: Token has expired 12 seconds ago', module: 'Elixir.RealtimeWeb.RealtimeChannel', function: 'join/3', file: 'lib/realtime_web/channels/realtime_channel.ex', line: 133, measured: false}
    ]) AS said
  FROM demo.events('realtime', 120, 1.5, $from, $to)
)
SELECT
  demo.uuid(key, 'id') AS id,
  happened AS "timestamp",
  demo.filled(said.message, key) AS event_message,
  [{
    external_id: ref,
    level: said.level,
    project: ref,
    context: [{
      application: 'realtime',
      file: said.file,
      function: said.function,
      line: said.line,
      module: said.module,
      pid: '#PID<0.' || demo.between(key, 'pid', 1000, 99999) || '.0>',
      "time": epoch_us(happened)
    }],
    measurements: CASE WHEN said.measured THEN [{
      connected: demo.between(key, 'number', 2, 999),
      connected_cluster: 2 * demo.between(key, 'number', 2, 999),
      "limit": 1000,
      sum: demo.between(key, 'sum', 0, 3000)
    }] ELSE [] END
  }] AS metadata
FROM described;
