-- The log of the storage server: the requests that reached it.
WITH routed AS (
  SELECT
    *,
    demo.pick(key, 'request', [
      {method: 'GET', path: '/object/public/avatars/user.png', median: 22},
      {method: 'GET', path: '/object/sign/receipts/{code}.pdf', median: 31},
      {method: 'POST', path: '/object/receipts/{code}.pdf', median: 160},
      {method: 'POST', path: '/object/list/receipts', median: 48},
      {method: 'DELETE', path: '/object/receipts', median: 70}
    ]) AS route
  FROM demo.events('storage', 120, 1.5, $from, $to)
),
requests AS (
  SELECT
    *,
    demo.filled(route.path, key) AS path,
    CASE
      WHEN demo.chance(key, 'status') < 0.01 THEN 500
      WHEN demo.chance(key, 'status') < 0.08 THEN demo.pick(key, 'refusal', [404, 400, 403])
      ELSE 200
    END AS status,
    demo.pick(key, 'place', demo.places()).net || demo.between(key, 'address', 1, 254) AS address,
    round(route.median * exp(0.6 * demo.normal(key, 'time')), 3) AS took
  FROM routed
)
SELECT
  demo.uuid(key, 'id') AS id,
  happened AS "timestamp",
  concat_ws(' | ', ref, route.method, status, address, demo.hex(key, 'request', 16), path) AS event_message,
  [{
    level: CASE WHEN status >= 500 THEN 'error' WHEN status >= 400 THEN 'warn' ELSE 'info' END,
    project: ref,
    reqId: demo.hex(key, 'request', 16),
    tenantId: ref,
    context: [{host: 'storage-' || region, pid: demo.between(key, 'pid', 1, 40)}],
    req: [{hostname: ref || '.example.co', method: route.method, remoteAddress: address, url: path}],
    res: [{statusCode: status}],
    responseTime: took
  }] AS metadata
FROM requests;
