-- ASCII
ascii(${string})
ascii(${needle})
-- UNICODE
unicode(${string})
-- CHR
chr(${0; 65; 233; 8364; 128077; 1114111; 1114112; -1; 55296; null})
-- BYTE_LENGTH
byte_length(${string})
byte_length(${bytes})
-- OCTET_LENGTH
octet_length(${string})
octet_length(${bytes})
-- CHAR_LENGTH
char_length(${string})
-- CHARACTER_LENGTH
character_length(${string})
-- LENGTH
length(${string})
length(${bytes})
-- CODE_POINTS_TO_STRING
code_points_to_string(${code_points})
code_points_to_string(${[-1]; [55296]; [1114112]})
-- CODE_POINTS_TO_BYTES
code_points_to_bytes(${[65, 66]; [0, 255]; [256]; [-1]; cast([] as array<int64>); [1, null]; cast(null as array<int64>)})
-- TO_CODE_POINTS
to_code_points(${string})
to_code_points(${bytes})
-- CONCAT
concat(${string}, ${needle})
concat('a', ${needle}, 'c')
concat('single')
concat(${bytes}, b'x')
concat(1, 'x', true, 1.5, date '2024-02-29')
concat('x', null)
-- CONTAINS_SUBSTR
contains_substr(${string}, ${'a'; 'HELLO'; 'é'; 'ß'; '👍'; 'ss'; 'İ'})
  <=> strpos(normalize_and_casefold(${1}, NFKC), normalize_and_casefold(${2}, NFKC)) > 0
contains_substr(${123; 1.5; true; date '2024-02-29'}, ${'2'; 'TRUE'; '.5'; '02-29'})
  <=> strpos(lower(cast(${1} as string)), lower(${2})) > 0
contains_substr(('abc', 12), 'B') <=> true
contains_substr(['x', 'Yes'], 'yes') <=> true
contains_substr(['x', null], 'yes') <=> cast(null as bool)
-- EDIT_DISTANCE
edit_distance(${''; 'a'; 'kitten'; 'é日本'; '👍'}, '')
edit_distance('kitten', 'sitting')
edit_distance(${'a'; 'kitten'; ''; cast(null as string)}, ${'sitting'; ''; 'A'})
edit_distance(${'kitten'; 'flaw'}, ${'sitting'; 'lawn'}, max_distance => ${0; 1; 2; 3; 100})
edit_distance('flaw', 'lawn')
edit_distance('日本語', '日本')
edit_distance('ABC', 'abc')
edit_distance('abc', cast(null as string))
edit_distance('abcdef', 'xyz', max_distance => 2)
edit_distance('abc', 'abd', max_distance => 2)
edit_distance(${cast(null as string); 'abc'}, ${cast(null as string); 'abc'}, max_distance => ${2; -1; cast(null as int64)})
-- STARTS_WITH
starts_with(${string}, ${needle})
starts_with(${bytes}, b'a')
-- ENDS_WITH
ends_with(${string}, ${needle})
ends_with(${bytes}, b'c')
-- STRPOS
strpos(${string}, ${needle})
strpos(${bytes}, b'l')
-- INSTR
instr(${string}, ${needle})
instr('banana', 'an', ${1; 2; 3; -1; -3; 10; 0; null})
instr('banana', 'an', ${1; -1}, ${1; 2; 3; 0; -1})
instr(${string}, ${needle}, ${-1; -2; -100; -9223372036854775808})
instr('${aaa; banána; a\r\na; ; \U0001F44D\U0001F3FDa}', '${a; aa; ; á; \n}', ${-1; -2; -3; -4; -8})
instr('banána', 'a', 1, ${1; 2; 3})
instr(${bytes}, b'l')
-- LEFT
left(${string}, ${0; 1; 3; 100; -1; null})
left(${bytes}, ${0; 2; 100; -1})
left(${string}, 9223372036854775807)
left(${bytes}, 9223372036854775807)
-- RIGHT
right(${string}, ${0; 1; 3; 100; -1; null})
right(${bytes}, ${0; 2; 100; -1})
right(${string}, 9223372036854775807)
-- SUBSTR
substr(${string}, ${9223372036854775807; -9223372036854775808})
substr(${bytes}, ${9223372036854775807; -9223372036854775808})
substr('abcdef', ${2; -9223372036854775808; 9223372036854775807}, 9223372036854775807)
substr(${string}, ${0; 1; 2; -1; -3; 100; -100; null})
substr('abcdef', ${0; 1; 2; -1; -3; 100; -100; null}, ${0; 1; 3; 100; -1; null})
substr('日本語👍é', ${1; 2; 4; -2}, ${1; 2})
substr(${bytes}, ${0; 1; 2; -1; -2})
substr(${bytes}, 2, 1)
-- SUBSTRING
substring(${string}, ${1; 2; -2})
substring('abcdef', ${0; 1; -3}, ${0; 2; 100})
! substring('abcdef' from 2 for 3)
-- UPPER
upper(${string})
upper(${needle})
upper(b'abc\xff')
-- LOWER
lower(${string})
lower(${'ÀÉÎÕÜ'; 'ΑΣΣ ΟΔΟΣ'; 'ǅ'; 'Ⅷ'; 'STRASSE'})
lower(b'ABC\xff')
-- INITCAP
initcap(${string})
initcap(${'hello-world FOO'; 'o\'neil'; 'a1b2 c3'; 'tab\tnew\nline'; 'ünder éa'})
initcap(${"o'neil  x"; ' a B '; '  '; ''; 'a'; '1A b2C'; 'Ab-cD eF'})
initcap('hello_world-foo', '_')
initcap(${'aXbXc'; 'xxa b'; 'ThisEIsEAESentence'; 'ᾳb ßa ŉx İb'}, ${'X'; 'x'; 'E'; ' '; 'bX'; ''})
select initcap(concat('a', code_points_to_string([n]), 'b')) from unnest([9, 11, 133, 160, 5760, 8203, 8232, 8239, 12288, 61, 96]) n
-- TRIM
trim(${string})
trim(${string}, ${'a'; ' '; 'H'; 'abc'; null})
trim(b'  x ', b' ')
trim('\u00a0x\u2003\u3000')
-- LTRIM
ltrim(${string})
ltrim('xxyxabcxx', ${'x'; 'xy'; ''; null; 'é'})
-- RTRIM
rtrim(${string})
rtrim('abcxxyxx', ${'x'; 'xy'; ''; null; 'é'})
-- LPAD
lpad(${string}, ${0; 3; 12; null})
lpad('abc', ${0; 2; 3; 8; -1; null}, ${'def'; 'é'; ''; null})
lpad(b'abc', 6, b'de')
-- RPAD
rpad(${string}, ${0; 3; 12; null})
rpad('abc', ${0; 2; 3; 8; -1; null}, ${'def'; 'é'; ''; null})
rpad(b'abc', 6, b'de')
-- REPEAT
repeat(${string}, ${0; 1; 3; null})
repeat('ab', ${-1; -100})
repeat(b'ab', 2)
-- REPLACE
replace(${string}, ${needle}, 'X')
replace('abab', 'ab', ${''; 'abab'; null})
replace(b'abab', b'a', b'zz')
-- REVERSE
reverse(${string})
reverse(${bytes})
-- SPLIT
split(${string}, ${','; ' '; ''; 'l'; 'xx'; null})
split(${string})
split('a::b::c', '::')
split(b'a,b', b',')
-- TRANSLATE
translate(${string}, 'aeo', 'AEO')
translate('hello', ${'el'; 'lo'; ''; 'h'}, ${'ip'; 'x'; ''; null})
translate('aba', 'aa', 'xy')
-- SOUNDEX
soundex(${string})
soundex(${'Ashcraft'; 'Tymczak'; 'Pfister'; 'Robert'; 'Rupert'; 'Honeyman'; '123'})
-- NORMALIZE
normalize(${string})
normalize(${'e\u0301'; 'ﬁ'; 'Å'; '①'; '각'}, ${NFC; NFD; NFKC; NFKD})
-- NORMALIZE_AND_CASEFOLD
normalize_and_casefold('${ΐ; ǰ; ẖ; ﬃ; ᾴ; İ}', ${nfc; nfd; nfkc; nfkd})
normalize_and_casefold(${string})
normalize_and_casefold(${'The ﬁne'; 'Å'; 'STRASSE ß'; 'İ'}, ${NFC; NFKC})
-- TO_HEX
to_hex(${bytes})
-- FROM_HEX
from_hex(${'00ff80'; 'ABCDEF'; ''; 'abc'; '0'; 'xx'; null; '0X'})
-- TO_BASE64
to_base64(${bytes})
to_base64(b'\xde\xad\xbe\xef\xff\xfe')
-- FROM_BASE64
from_base64(${'YWJj'; '/+A='; ''; 'YQ'; 'YQ=='; '%%%'; 'YW Jj'; null})
-- TO_BASE32
to_base32(${b''; b'f'; b'fo'; b'foo'; b'foob'; b'fooba'; b'foobar'; b'\xff\x00'; cast(null as bytes)})
  <=> case to_hex(${1}) when '' then '' when '66' then 'MY======' when '666f' then 'MZXQ====' when '666f6f' then 'MZXW6==='
  when '666f6f62' then 'MZXW6YQ=' when '666f6f6261' then 'MZXW6YTB' when '666f6f626172' then 'MZXW6YTBOI======' when 'ff00' then '74AA====' end
-- FROM_BASE32
from_base32(${''; 'MY======'; 'MZXQ===='; 'MZXW6==='; 'MZXW6YQ='; 'MZXW6YTB'; cast(null as string)})
  <=> case ${1} when '' then b'' when 'MY======' then b'f' when 'MZXQ====' then b'fo' when 'MZXW6===' then b'foo'
  when 'MZXW6YQ=' then b'foob' when 'MZXW6YTB' then b'fooba' end
from_base32('1') <=> error('not base 32')
-- SAFE_CONVERT_BYTES_TO_STRING
safe_convert_bytes_to_string(${bytes})
safe_convert_bytes_to_string(b'\xc3\x28ok\xf0\x9f')
select safe_convert_bytes_to_string(max(x)) from unnest([b'a', b'\xc3\xa9']) as x
-- COLLATE
collate('abc', '')
collate(${'a'; 'B'; 'ä'; 'ß'; 'Ａ'; 'カ'; ''; cast(null as string)}, 'und:ci') = ${'A'; 'b'; 'Ä'; 'SS'; 'ss'; 'か'; 'a'; ''}
collate(${'a'; 'B'; 'ä'; 'a-b'; 'a b'; '_'; 'Z'; '9'; '\u0000a'}, 'und:ci') < ${'A'; 'b'; 'z'; 'AB'; 'A_B'; '10'; 'é'; 'a'}
collate('a', 'und:ci') in ('b', 'A')
select ${concat(x, 'z'); x || 'z'; upper(x); lower(x); substr(x, 1); left(x, 3); right(x, 3); lpad(x, 3, 'b'); rpad(x, 3, 'b'); repeat(x, 2); reverse(x)} = ${'ABZ'; 'ab'; 'BAB'; 'abB'; 'ABab'; 'BA'} from unnest([collate('aB', 'und:ci')]) as x
select ${length(x); char_length(x); byte_length(x)} from unnest([collate('aB', 'und:ci')]) as x
select count(distinct x), upper(min(x)), upper(max(x)) from unnest([collate('B', 'und:ci'), 'b', 'a', null, 'Ä', 'az', 'Az']) as x
select upper(x) as u, count(*) as n from unnest([collate('B', 'und:ci'), 'b', 'a', null, 'Ä', 'az', 'Az']) as x group by x order by x
select upper(x) as u, count(*) as n from unnest([collate('B', 'und:ci'), 'b', 'a', null, 'Ä', 'az', 'Az']) as x group by 1 having u > 'A' order by 1
select upper(x) as u from (select collate('B', 'und:ci') as x union distinct select 'b' union distinct select 'A' union distinct select 'a') order by u
select distinct upper(x) as u from unnest([collate('B', 'und:ci'), 'b', 'a', null, 'Ä', 'az', 'Az']) as x order by u desc
select upper(x) as u from (select distinct x from unnest([collate('B', 'und:ci'), 'b', 'a', null, 'az', 'Az']) as x) order by u
select x, count(*) over (partition by x) as n from unnest([collate('B', 'und:ci'), 'b', 'a', null, 'Ä', 'az', 'Az']) as x with offset o order by x, o
collate('b', 'und:ci') between 'A' and 'C'
if(true, 'a', collate('b', 'und:ci')) = 'A'
select x from unnest([collate('B', 'und:ci'), 'b', 'a', null, 'Ä', 'az', 'Az']) as x with offset o order by x, o
select x from unnest(['B', 'b', 'a', null, 'Ä', 'az', 'Az']) as x with offset o order by x collate 'und:ci' desc, o
select array_agg(x order by collate(x, 'und:ci'), x) from unnest(['B', 'b', 'a', 'A']) as x
select a, b from unnest(['a', 'B', 'c']) as a join unnest(['A', 'b', 'd']) as b on collate(a, 'und:ci') = b order by a
-- REGEXP_CONTAINS
regexp_contains(${string}, ${pattern})
regexp_contains('abc', ${'('; '[z-a]'; '(?=a)'; '\\1'; null})
regexp_contains('foo@example.com', r'^[\w.+-]+@[\w-]+\.[a-z]{2,}$')
regexp_contains('a\nb', ${'a.b'; '(?s)a.b'; '^b'; '(?m)^b'})
regexp_contains(b'abc\xff', b'c.')
-- REGEXP_EXTRACT
regexp_extract('2024-05', ${r'((\d+)-)\d+'; r'(?:((\d)+)-)'; r'(?:(?:\d)+)-'; r'((?:\d)+)-'; r'[((](\d)|(\d)'; r'(?:(?P<y>\d+)-)'})
regexp_extract(${string}, ${pattern})
regexp_extract('key=value; k2=v2', ${r'(\w+)='; r'=(\w+)'; r'k2=(\w+)'; r'(nothing)'; r'k(2)?'; r'(z)?k'})
regexp_extract('abcabc', 'b.', ${1; 2; 3; 5; 6; 7; 8; 0; -1; null})
regexp_extract('abcabc', 'b', ${1; 3}, ${1; 2; 3; 0; -1})
regexp_extract('abc', r'(a)(b)')
regexp_extract('日本語abc', r'本(.)')
regexp_extract(b'abc', b'b.')
-- REGEXP_SUBSTR
regexp_substr(${string}, ${pattern})
regexp_substr('abcabc', 'b.', ${1; 3; 7})
-- REGEXP_EXTRACT_ALL
regexp_extract_all(${string}, ${pattern})
regexp_extract_all('${ab; aé; a é;  x ; hello big world; 1👍}', ${r'\\b'; r'^|$'; r'(?m)^'; r'\\b|é'; r'\\d?\\b'; r'\\w*'; r'(x)|$'; r'\\B'; r'$'; r'(\\w?)\\b'})
regexp_extract_all(b'1\xff', b'\\b')
regexp_extract_all('a,é,,c,', r'[^,]*')
regexp_extract('hello é', r'\\b', 1, ${1; 2; 3})
regexp_substr('hello big', r'\\b', ${1; 2}, ${2; 4})
regexp_extract_all('a1b22c333', ${r'\d+'; r'([a-z])\d'; r'z'; r'(\d)?'; r'x*'})
-- REGEXP_INSTR
regexp_instr(${string}, ${pattern})
regexp_instr('ab@cd@ef', '@[^@]*', ${1; 3; 4; 7; 100; 0})
regexp_instr('ab@cd@ef', '@', 1, ${1; 2; 3; 0})
regexp_instr('ab@cd@ef', '@', 1, 1, ${0; 1; 2})
regexp_instr('xabcx', 'x(a.)c')
-- REGEXP_REPLACE
regexp_replace(${string}, ${pattern}, '_')
regexp_replace('# Heading', r'^# ([a-zA-Z0-9\s]+$)', r'<h1>\1</h1>')
regexp_replace('abc', ${'b'; '(b)'; 'b*'; 'x*'}, ${r'[\0]'; ''; r'\\'; '$1'})
regexp_replace('abc', 'b', r'\1')
regexp_replace('abc', '(', 'x')
regexp_replace(null, 'b', 'x')
regexp_replace('2024-05', ${r'((\d+)-)\d+'; r'((?:(\d))+-)((\d)+)'; r'(?i:(?:\d)+)((-))'; r'(?P<y>\d+)(?s)((-))'}, ${r'\2'; r'\3'; r'\1'; r'[\0]'})
-- FORMAT
format('${%.2f; %f; %.0f; %e; %\'.1f; %350.1f}', ${1e38; 1e40; -1e300; 1.7976931348623157e308; 4503599627370497.5; 9007199254740993.0})
format(if(${1; 2} > 1, '%d!', '%05d'), 7)
format(concat('%', '05.1f', '%%'), 1.25)
format('%T', ${interval 1 day; interval '-1-2 3 4:5:6.7' year to second; [interval 1 day]; cast(null as interval)})
format(case 1 when 2 then '%d' end, 7)
! format('%s', null)
! format('%f', null)
format('${%d; %i; %5d; %-5d|; %05d; %+d; % d; %x; %X; %o; %\'d; %#x}', ${42; -42; 0; cast(null as int64)})
format('${%05d; %018d; %019d; %3d}', ${-1; 99999; 100000; 9223372036854775807; -9223372036854775808})
format('%s|%10s|%-10s|%.2s', 'abc', 'abc', 'abc', 'abc')
format('${%f; %.2f; %10.3f; %e; %g; %.0f; %E; %+.1f; %\'.2f}', ${3.14159; -1e10; 0.0; cast('nan' as float64); cast('-inf' as float64); cast(null as float64)})
format('%t', ${int64})
format('%t', ${float64})
format('%t', ${string})
format('%t', ${date})
format('%t', ${timestamp})
format('%t', ${bool})
format('%t', ${int64s})
format('%T', ${int64})
format('%T', ${float64})
format('%T', ${string})
format('%T', ${bytes})
format('%T', ${date})
format('%T', ${timestamp})
format('%T', ${strings})
format('%T', json '{"a": "x\'y", "b": [1.50]}')
format('%T', ${json '["x"]'; json '"it\'s"'; [json 'null', null]; struct(json '1' as a); cast(null as json)})
format('%s', ${string})
format('100%%')
format('%s has %d items', 'cart', 3)
format('%*d', 5, 42)
format('%.*f', 2, 3.14159)
format('%p', json '{"a": 1}')
format('%P', json '{"a": 1}')
! format('${%d; %s %s}', 'x')
format(cast(null as string), 1)
format('%${.2; .0; .40; #.0; 012.3}f', ${bignumeric '1e20'; bignumeric '-0.123456789'; bignumeric '2.5'; bignumeric '1234567.0005'; bignumeric '578960446186580977117854925043439539266.34992332820282019728792003956564819967'; cast(null as bignumeric)})
format('%.${18; 20; 30; 60}${f; e; g; E; G}', ${float64})
format('%#.${20; 25}${f; e; g}', ${1.0; 1e22; 1e-10; 5e-324; 123456789.125})
select safe.format('%.*f', p, x) from unnest([struct(1.5 as x, 20 as p), (0.1, 18), (2.5, 0), (null, 20), (2.5, null)])
-- STRING
string(${timestamp})
string(${timestamp}, ${zone})
string(${date})
string(${datetime})
string(${time})
-- SEARCH
search(${'foobar-example'; 'example foobar'; 'FOOBAR.example'}, 'foobar example') <=> true
search('foo bar baz', ${'foo OR nothing'; 'foo AND (bar OR nothing)'; '"bar baz"'; '`bar`'}) <=> true
search('foo bar baz', ${'foo nothing'; '"foo baz"'; '`Bar`'}) <=> false
search(cast(null as string), 'a') <=> cast(null as bool)
! search('a', ${null; ''; '@'; 'a-b'; 'a ('})
