-- The log of the auth server; the message is the event as JSON text.
WITH attempts AS (
  SELECT
    *,
    demo.pick(key, 'event', [
      {action: 'token_refreshed', log_type: 'token', method: 'POST', path: '/token', login: 'token', status: 200, error: NULL, msg: 'request completed'},
      {action: 'login', log_type: 'account', method: 'POST', path: '/token', login: 'password', status: 200, error: NULL, msg: 'Login'},
      {action: NULL, log_type: NULL, method: 'GET', path: '/user', login: NULL, status: 200, error: NULL, msg: 'request completed'},
      {action: 'logout', log_type: 'account', method: 'POST', path: '/logout', login: NULL, status: 204, error: NULL, msg: 'request completed'},
      {action: NULL, log_type: NULL, method: 'POST', path: '/token', login: 'password', status: 400, error: '400: Invalid login credentials', msg: '400: Invalid login credentials'},
      {action: 'user_signedup', log_type: 'team', method: 'POST', path: '/signup', login: NULL, status: 200, error: NULL, msg: 'request completed'},
      {action: 'user_recovery_requested', log_type: 'user', method: 'POST', path: '/recover', login: NULL, status: 200, error: NULL, msg: 'request completed'},
      {action: NULL, log_type: NULL, method: 'POST', path: '/signup', login: NULL, status: 429, error: '429: For security purposes, you can only request this after 46 seconds.', msg: '429: email rate limit exceeded'}
    ]) AS event,
    demo.pick(key, 'name', ['ada', 'grace', 'linus', 'margaret', 'edsger', 'barbara']) AS actor,
    demo.uuid(demo.between(key, 'user', 1, 400), 'user') AS user_id,
    demo.pick(key, 'place', demo.places()).net || demo.between(key, 'address', 1, 254) AS address,
    demo.duration(key, 'time', 9000000, 0.9) AS took
  FROM demo.events('auth', 60, 1.2, $from, $to)
),
events AS (
  SELECT
    *,
    {
      component: 'api',
      host: ref || '.example.co',
      level: CASE WHEN event.error IS NULL THEN 'info' ELSE 'warning' END,
      method: event.method,
      msg: event.msg,
      path: event.path,
      referer: 'https://shop.example.com',
      remote_addr: address,
      "timestamp": strftime(happened, '%Y-%m-%dT%H:%M:%SZ'),
      request_id: demo.uuid(key, 'request'),
      error: event.error,
      action: event.action,
      provider: CASE event.login WHEN 'password' THEN 'email' END,
      login_method: event.login,
      user_id: CASE WHEN event.action IS NOT NULL THEN user_id END,
      status: CAST(event.status AS VARCHAR),
      duration: CAST(took AS VARCHAR),
      auth_event: CASE WHEN event.action IS NOT NULL THEN [{
        action: event.action,
        actor_id: user_id,
        actor_name: actor,
        actor_username: actor || '@example.com',
        log_type: event.log_type,
        actor_via_sso: false
      }] ELSE [] END
    } AS log_record
  FROM attempts
)
SELECT
  demo.uuid(key, 'id') AS id,
  happened AS "timestamp",
  CAST(to_json(log_record) AS VARCHAR) AS event_message,
  ref AS project,
  [log_record] AS metadata
FROM events;
