-- Every request that came in from outside. One in 500 rows has no metadata, one in 300 no url.
WITH routed AS (
  SELECT
    *,
    demo.pick(key, 'path', [
      {method: 'GET', path: '/rest/v1/orders', search: '?select=*&order=created_at.desc&limit=20', type: 'application/json', median: 28},
      {method: 'GET', path: '/rest/v1/products', search: '?select=id,name,price', type: 'application/json', median: 22},
      {method: 'POST', path: '/auth/v1/token', search: '?grant_type=refresh_token', type: 'application/json', median: 60},
      {method: 'GET', path: '/storage/v1/object/public/avatars/user.png', search: '', type: 'image/png', median: 35},
      {method: 'GET', path: '/auth/v1/user', search: '', type: 'application/json', median: 18},
      {method: 'GET', path: '/realtime/v1/websocket', search: '?vsn=1.0.0', type: NULL, median: 9},
      {method: 'POST', path: '/rest/v1/orders', search: '', type: NULL, median: 46},
      {method: 'POST', path: '/functions/v1/{function}', search: '', type: 'application/json', median: 130},
      {method: 'PATCH', path: '/rest/v1/profiles', search: '?id=eq.{number}', type: NULL, median: 40},
      {method: 'POST', path: '/rest/v1/rpc/search_products', search: '', type: 'application/json', median: 95},
      {method: 'POST', path: '/storage/v1/object/receipts/{code}.pdf', search: '', type: 'application/json', median: 180},
      {method: 'POST', path: '/realtime/v1/api/broadcast', search: '', type: NULL, median: 15},
      {method: 'DELETE', path: '/rest/v1/cart_items', search: '?id=eq.{number}', type: NULL, median: 31},
      {method: 'POST', path: '/auth/v1/signup', search: '', type: 'application/json', median: 210},
      {method: 'POST', path: '/graphql/v1', search: '', type: 'application/json', median: 55}
    ]) AS route,
    demo.pick(key, 'place', demo.places()) AS place,
    demo.pick(key, 'program', demo.programs()) AS program
  FROM demo.events('edge', 15, 2.4, $from, $to)
),
requests AS MATERIALIZED (
  SELECT
    *,
    replace(demo.filled(route.path, key), '{function}', main_function) AS path,
    demo.filled(route.search, key) AS search
  FROM routed
),
answers AS (
  SELECT
    *,
    ref || '.example.co' AS host,
    'https://' || ref || '.example.co' || path || search AS url,
    place.net || demo.between(key, 'address', 1, 254) AS address,
    demo.hex(key, 'ray', 16) || '-' || place.colo AS ray,
    CASE
      WHEN route.path LIKE '%websocket' THEN 101
      WHEN demo.chance(key, 'status') < 0.006 THEN demo.pick(key, 'failure', [500, 503, 502, 504])
      WHEN demo.chance(key, 'status') < 0.05 THEN demo.pick(key, 'refusal', [401, 404, 403, 400, 409, 429])
      WHEN route.type IS NULL THEN 204
      WHEN demo.chance(key, 'status') > 0.97 THEN 304
      ELSE 200
    END AS status
  FROM requests
)
SELECT
  demo.uuid(key, 'id') AS id,
  happened AS "timestamp",
  concat_ws(' | ', route.method, status, address, ray, url, program) AS event_message,
  ref AS project,
  CASE WHEN demo.chance(key, 'no metadata') >= 0.002 THEN [{
    request: [{
      host: host,
      method: route.method,
      path: path,
      protocol: 'https:',
      search: nullif(search, ''),
      url: CASE WHEN demo.chance(key, 'no url') >= 1 / 300 THEN url END,
      headers: [{
        accept: '*/*',
        cf_connecting_ip: address,
        cf_ipcountry: place.country,
        cf_ray: ray,
        host: host,
        referer: CASE WHEN program LIKE 'Mozilla%' THEN 'https://shop.example.com/' END,
        user_agent: program,
        x_client_info: CASE WHEN program NOT LIKE 'curl%' THEN 'example-js/2.81.0' END,
        x_forwarded_proto: 'https',
        x_real_ip: address
      }],
      cf: [{
        asOrganization: place.org,
        asn: place.asn,
        city: place.city,
        clientTcpRtt: demo.duration(key, 'round trip', 18, 0.7),
        colo: place.colo,
        continent: place.continent,
        country: place.country,
        httpProtocol: 'HTTP/2',
        latitude: place.lat,
        longitude: place.lon,
        postalCode: place.post,
        region: place.region,
        regionCode: place.code,
        timezone: place.zone,
        tlsCipher: 'AEAD-AES128-GCM-SHA256',
        tlsVersion: 'TLSv1.3',
        botManagement: [{
          corporateProxy: false,
          staticResource: route.path LIKE '/storage/v1/object/public/%',
          verifiedBot: false,
          score: CASE WHEN program LIKE 'Mozilla%' THEN demo.between(key, 'bot', 60, 99) ELSE demo.between(key, 'bot', 1, 30) END
        }]
      }]
    }],
    response: [{
      status_code: status,
      origin_time: demo.duration(key, 'time', route.median, 0.6) + CASE status WHEN 504 THEN 60000 ELSE 0 END,
      headers: [{
        cf_cache_status: CASE WHEN route.path NOT LIKE '/storage/v1/object/public/%' THEN 'DYNAMIC' ELSE demo.pick(key, 'cache', ['HIT', 'MISS', 'EXPIRED']) END,
        cf_ray: ray,
        content_length: CASE WHEN route.type IS NOT NULL AND status <> 304 THEN CAST(demo.duration(key, 'length', 900, 1.2) AS VARCHAR) END,
        content_type: route.type,
        date: strftime(happened, '%a, %d %b %Y %H:%M:%S GMT')
      }]
    }]
  }] ELSE [] END AS metadata
FROM answers;
