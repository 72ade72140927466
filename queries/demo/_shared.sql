-- Shared by the demo streams of this folder. Every row is a pure function of the seed below and of its time slot: it is
-- the same on every machine, at every time and in every batch. (Random values come from DuckDB's `hash`, so another
-- version of DuckDB may generate other rows.)
--
-- The project with the most rows is mzqkvxwotrplbhnydsea; one of its functions is 3f2a9c1e-5b7d-4e8f-9a6b-1c2d3e4f5a6b.

CREATE SCHEMA IF NOT EXISTS demo;

CREATE OR REPLACE MACRO demo.seed() AS 20261120;

-- A number in [0, 1) that depends only on a row's key and on the name of the random decision, `question`. Hashed twice:
-- of two values `hash` mixes only the first well, so that two decisions for one row would be correlated.
CREATE OR REPLACE MACRO demo.chance(key, question) AS hash(hash(key, question)) / 18446744073709551616.0;

CREATE OR REPLACE MACRO demo.between(key, question, low, high) AS
  low + CAST(floor(demo.chance(key, question) * (high - low + 1)) AS BIGINT);

-- The first choices are picked more often than the last.
CREATE OR REPLACE MACRO demo.pick(key, question, choices) AS
  choices[1 + CAST(floor(demo.chance(key, question) * demo.chance(key, question || '²') * len(choices)) AS BIGINT)];

CREATE OR REPLACE MACRO demo.normal(key, question) AS
  sqrt(-2 * ln(1 - demo.chance(key, question))) * cos(2 * pi() * demo.chance(key, question || '°'));

-- Most are near the median, some take many times as long.
CREATE OR REPLACE MACRO demo.duration(key, question, median, spread) AS
  CAST(ceil(median * exp(spread * demo.normal(key, question))) AS BIGINT);

CREATE OR REPLACE MACRO demo.hex(key, question, digits) AS
  left(md5(CAST(hash(key, question) AS VARCHAR)), digits);

CREATE OR REPLACE MACRO demo.uuid(key, question) AS
  CAST(CAST(md5(CAST(hash(key, question) AS VARCHAR)) AS UUID) AS VARCHAR);

-- Lists of choices stay constant, and so are made once: what differs from row to row is filled in afterwards.
CREATE OR REPLACE MACRO demo.filled(template, key) AS
  replace(replace(template, '{number}', CAST(demo.between(key, 'number', 2, 999) AS VARCHAR)),
    '{code}', demo.hex(key, 'code', 12));

CREATE OR REPLACE MACRO demo.iso(moment) AS strftime(moment, '%Y-%m-%dT%H:%M:%S.%fZ');

-- weight: its share of the traffic. steady: at least so many events in every slot. zone: hours its day is ahead of UTC.
CREATE OR REPLACE TABLE demo.projects AS
FROM (VALUES
  ('mzqkvxwotrplbhnydsea', 0.55, 1, 1, 'eu-central-1', 4, 'create-checkout'),
  ('kfjwqzxbnvtmryclopgu', 0.20, 0, -5, 'us-east-1', 2, 'search'),
  ('tbyrhqxmwzcdnvleskfa', 0.12, 0, 8, 'ap-southeast-1', 1, 'translate'),
  ('pqlsnxhdyvrwkzmtgjce', 0.08, 0, -8, 'us-west-1', 2, 'hello-world'),
  ('wnvrbxktyqzhsdmfalpo', 0.04, 0, 0, 'eu-west-2', 1, 'sync-contacts'),
  ('qd7xk2mv9rt4hz8wb1ny', 0.01, 0, 9, 'ap-northeast-1', 1, 'ping')
) AS projects (ref, weight, steady, zone, region, functions, main_function);

-- spread: the sigma of the log-normal execution time. failing: the share of answers with 5xx.
CREATE OR REPLACE TABLE demo.functions AS
FROM (VALUES
  ('mzqkvxwotrplbhnydsea', 1, '3f2a9c1e-5b7d-4e8f-9a6b-1c2d3e4f5a6b', 'create-checkout', '41', 85, 0.5, 0.006),
  ('mzqkvxwotrplbhnydsea', 2, '7c1d4b2a-90e3-4f5c-8a17-d2e6b03f9c58', 'send-email', '12', 210, 0.7, 0.01),
  ('mzqkvxwotrplbhnydsea', 3, 'b8e05f37-2c64-4d19-a3f8-5e7091c2d4ab', 'payment-webhook', '7', 140, 0.9, 0.28),
  ('mzqkvxwotrplbhnydsea', 4, '0d93e6c4-1fa8-47b2-9c50-8b6e2f7a1d34', 'resize-image', '23', 640, 0.6, 0.015),
  ('kfjwqzxbnvtmryclopgu', 1, '5a7be210-c4d9-4638-8f1e-93b0d6c7e2f5', 'search', '88', 45, 0.4, 0.004),
  ('kfjwqzxbnvtmryclopgu', 2, 'e4f81d6b-73a0-4c25-b9d7-06f1a8e35c92', 'recommend', '19', 380, 0.8, 0.02),
  ('tbyrhqxmwzcdnvleskfa', 1, '91c6a3f8-e27d-4b04-a5c1-7d8f40b9e263', 'translate', '5', 900, 0.5, 0.03),
  ('pqlsnxhdyvrwkzmtgjce', 1, '2b8d7f51-06ac-4e93-8d2f-c5a4e1b7093d', 'hello-world', '2', 12, 0.3, 0.001),
  ('pqlsnxhdyvrwkzmtgjce', 2, 'd6305c9e-8b1f-4a72-97e4-1f0c6d2ba8e5', 'nightly-report', '9', 4200, 0.4, 0.05),
  ('wnvrbxktyqzhsdmfalpo', 1, 'a0e7d2c9-54f3-4816-b3a8-e91c7f5d602b', 'sync-contacts', '3', 260, 1.1, 0.08),
  ('qd7xk2mv9rt4hz8wb1ny', 1, 'f57a1b3c-d8e6-49c0-8e25-60b4c9f7a1d8', 'ping', '1', 8, 0.2, 0.0)
) AS functions (ref, number, function_id, slug, version, median, spread, failing);

-- The relative load of a project at a time (microseconds since the epoch): little before dawn, most in the afternoon, less at
-- the weekend.
CREATE OR REPLACE MACRO demo.wave(micros, zone) AS
  (0.15 + 0.425 * (1 - cos(2 * pi() * (micros / 3.6e9 + zone - 4) / 24)))
  * CASE WHEN (micros // 86400000000 + 3) % 7 >= 5 THEN 0.6 ELSE 1.0 END;

-- The events of a stream in [begins, ends): each slot of `seconds` has, at the busiest time, `busiest` events of all
-- projects together.
CREATE OR REPLACE MACRO demo.events(stream, seconds, busiest, begins, ends) AS TABLE
  WITH bounds AS (
    SELECT epoch_us(begins) AS first_micros, epoch_us(ends) AS end_micros, seconds * 1000000 AS slot_micros
  ),
  slots AS (
    SELECT
      unnest(range(first_micros // slot_micros, (end_micros - 1) // slot_micros + 1)) * slot_micros AS slot,
      slot_micros, first_micros, end_micros
    FROM bounds
  ),
  counted AS (
    SELECT
      slots.*,
      ref,
      region,
      functions,
      main_function,
      hash(demo.seed(), stream, ref, slot) AS slot_key,
      CAST(greatest(steady, weight * busiest * demo.wave(slot, zone)) + demo.chance(slot_key, 'count') - 0.5 AS BIGINT) AS events
    FROM slots, demo.projects
  ),
  keyed AS (
    SELECT *, unnest(range(events)) AS number, hash(slot_key, number) AS key
    FROM counted
    WHERE events > 0
  ),
  dated AS (
    SELECT keyed.*, slot + demo.between(key, 'moment', 0, slot_micros - 1) AS micros
    FROM keyed
  )
  SELECT key, ref, region, functions, main_function, make_timestamp(micros) AS happened
  FROM dated
  WHERE micros >= first_micros AND micros < end_micros
  ORDER BY micros;

-- The calls of functions, which two streams log. Every fortieth is a cold start.
CREATE OR REPLACE MACRO demo.invocations(begins, ends) AS TABLE
  WITH calls AS (
    SELECT *, demo.pick(key, 'function', range(1, functions + 1)) AS number
    FROM demo.events('functions', 15, 1.6, begins, ends)
  ),
  answers AS (
    SELECT
      *,
      demo.chance(key, 'cold') < 0.025 AS cold,
      demo.chance(key, 'status') AS luck,
      CASE
        WHEN luck < failing THEN demo.pick(key, 'failure', [500, 503, 546, 504])
        WHEN luck > 0.975 THEN demo.pick(key, 'refusal', [401, 400, 404, 429])
        WHEN luck > 0.85 THEN 204
        ELSE 200
      END AS status
    FROM calls
    JOIN demo.functions USING (ref, number)
  )
  SELECT
    *,
    demo.duration(key, 'time', median, spread)
      + CASE WHEN cold THEN demo.between(key, 'boot', 250, 1400) ELSE 0 END
      + CASE status WHEN 504 THEN 60000 ELSE 0 END AS took,
    ref || '_' || function_id || '_' || version AS deployment,
    demo.uuid(key, 'execution') AS execution
  FROM answers
  ORDER BY happened;

-- Callers: their place, network and program. Addresses are from the ranges reserved for documentation.
CREATE OR REPLACE MACRO demo.places() AS [
    {city: 'Frankfurt am Main', colo: 'FRA', country: 'DE', continent: 'EU', region: 'Hesse', code: 'HE', zone: 'Europe/Berlin', post: '60313', lat: '50.11552', lon: '8.68417', asn: 3320, org: 'Example Telecom', net: '192.0.2.'},
    {city: 'New York', colo: 'EWR', country: 'US', continent: 'NA', region: 'New York', code: 'NY', zone: 'America/New_York', post: '10001', lat: '40.71427', lon: '-74.00597', asn: 701, org: 'Example Broadband', net: '198.51.100.'},
    {city: 'Singapore', colo: 'SIN', country: 'SG', continent: 'AS', region: 'Central', code: '01', zone: 'Asia/Singapore', post: '018956', lat: '1.28967', lon: '103.85007', asn: 4773, org: 'Example Mobile', net: '203.0.113.'},
    {city: 'Ashburn', colo: 'IAD', country: 'US', continent: 'NA', region: 'Virginia', code: 'VA', zone: 'America/New_York', post: '20147', lat: '39.04372', lon: '-77.48749', asn: 14618, org: 'Example Cloud', net: '198.51.100.'},
    {city: 'London', colo: 'LHR', country: 'GB', continent: 'EU', region: 'England', code: 'ENG', zone: 'Europe/London', post: 'EC2V', lat: '51.50853', lon: '-0.12574', asn: 2856, org: 'Example Networks', net: '192.0.2.'},
    {city: 'São Paulo', colo: 'GRU', country: 'BR', continent: 'SA', region: 'São Paulo', code: 'SP', zone: 'America/Sao_Paulo', post: '01000', lat: '-23.5475', lon: '-46.63611', asn: 28573, org: 'Example Cabo', net: '203.0.113.'}];

CREATE OR REPLACE MACRO demo.programs() AS [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
    'node', 'Dart/3.9 (dart:io)', 'python-httpx/0.28.1', 'Deno/2.5.4', 'curl/8.16.0'];
