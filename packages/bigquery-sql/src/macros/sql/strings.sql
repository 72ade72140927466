-- Lengths and code points
create macro bq.length(s varchar) as length(s); -- bigint strict
create macro bq.length(b blob) as octet_length(b); -- bigint strict
create macro bq.char_length(s varchar) as length(s); -- bigint
create macro bq.character_length(s varchar) as length(s); -- bigint
create macro bq.byte_length(s varchar) as strlen(s); -- bigint
create macro bq.byte_length(b blob) as octet_length(b); -- bigint
create macro bq.octet_length(s varchar) as strlen(s); -- bigint
create macro bq.octet_length(b blob) as octet_length(b); -- bigint
create macro bq.ascii(s varchar) as case when unicode(s) > 127 then bq.fail('ASCII of a character that is not ASCII: ' || s) when s = '' then 0 else cast(unicode(s) as bigint) end; -- bigint
create macro bq.unicode(s varchar) as case when s = '' then 0 else cast(unicode(s) as bigint) end; -- bigint
create macro bq.chr(n bigint) as case when n = 0 then chr(0) when n between 1 and 55295 or n between 57344 and 1114111 then chr(try_cast(n as integer)) when n is not null then bq.fail('Invalid codepoint ' || n) end; -- varchar
create macro bq.to_code_points(s varchar) as list_transform(bq.characters(s), lambda c: cast(unicode(c) as bigint)); -- bigint[]
create macro bq.to_code_points(b blob) as cast(regexp_extract_all(regexp_replace(hex(b), '(..)', '0x\1', 'g'), '....') as bigint[]); -- bigint[]
create macro bq.code_points_to_string(a bigint[]) as case when len(list_filter(a, lambda n: n is null)) = 0 then array_to_string(list_transform(a, lambda n: bq.chr(n)), '') end; -- varchar
create macro bq.code_points_to_bytes(a bigint[]) as case when len(list_filter(a, lambda n: n not between 0 and 255)) > 0 then bq.fail_if(list_count(a) = len(a), 'Invalid byte in ' || cast(a as varchar)) when len(list_filter(a, lambda n: n is null)) = 0 then unhex(array_to_string(list_transform(a, lambda n: format('{:02X}', n)), '')) end; -- blob
-- Case
-- A sigma at the end of a word is another one. DuckDB compiles a pattern for that in 3 ms, also if no row has a sigma.
create macro bq.lower(s varchar) as case when strlen(s) = length(s) then lower(s) when contains(s, 'Σ') then host_lower(s) else lower(replace(s, 'İ', 'i̇')) end; -- varchar strict
create macro bq.lower(b blob) as bq.text_as_bytes(translate(bq.bytes_as_text(b), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')); -- blob strict
create macro bq.upper_character(c varchar) as case when contains('ßŉǰΐΰևẖẗẘẙẚὐὒὔὖᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾐᾑᾒᾓᾔᾕᾖᾗᾘᾙᾚᾛᾜᾝᾞᾟᾠᾡᾢᾣᾤᾥᾦᾧᾨᾩᾪᾫᾬᾭᾮᾯᾲᾳᾴᾶᾷᾼῂῃῄῆῇῌῒΐῖῗῢΰῤῦῧῲῳῴῶῷῼﬀﬁﬂﬃﬄﬅﬆﬓﬔﬕﬖﬗ', c) then split_part('SS|ʼN|J̌|Ϊ́|Ϋ́|ԵՒ|H̱|T̈|W̊|Y̊|Aʾ|Υ̓|Υ̓̀|Υ̓́|Υ̓͂|ἈΙ|ἉΙ|ἊΙ|ἋΙ|ἌΙ|ἍΙ|ἎΙ|ἏΙ|ἈΙ|ἉΙ|ἊΙ|ἋΙ|ἌΙ|ἍΙ|ἎΙ|ἏΙ|ἨΙ|ἩΙ|ἪΙ|ἫΙ|ἬΙ|ἭΙ|ἮΙ|ἯΙ|ἨΙ|ἩΙ|ἪΙ|ἫΙ|ἬΙ|ἭΙ|ἮΙ|ἯΙ|ὨΙ|ὩΙ|ὪΙ|ὫΙ|ὬΙ|ὭΙ|ὮΙ|ὯΙ|ὨΙ|ὩΙ|ὪΙ|ὫΙ|ὬΙ|ὭΙ|ὮΙ|ὯΙ|ᾺΙ|ΑΙ|ΆΙ|Α͂|Α͂Ι|ΑΙ|ῊΙ|ΗΙ|ΉΙ|Η͂|Η͂Ι|ΗΙ|Ϊ̀|Ϊ́|Ι͂|Ϊ͂|Ϋ̀|Ϋ́|Ρ̓|Υ͂|Ϋ͂|ῺΙ|ΩΙ|ΏΙ|Ω͂|Ω͂Ι|ΩΙ|FF|FI|FL|FFI|FFL|ST|ST|ՄՆ|ՄԵ|ՄԻ|ՎՆ|ՄԽ', '|', cast(strpos('ßŉǰΐΰևẖẗẘẙẚὐὒὔὖᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾐᾑᾒᾓᾔᾕᾖᾗᾘᾙᾚᾛᾜᾝᾞᾟᾠᾡᾢᾣᾤᾥᾦᾧᾨᾩᾪᾫᾬᾭᾮᾯᾲᾳᾴᾶᾷᾼῂῃῄῆῇῌῒΐῖῗῢΰῤῦῧῲῳῴῶῷῼﬀﬁﬂﬃﬄﬅﬆﬓﬔﬕﬖﬗ', c) as integer)) else upper(c) end; -- varchar
create macro bq.upper(s varchar) as case when strlen(s) = length(s) then upper(s) else array_to_string(list_transform(bq.characters(s), lambda c: bq.upper_character(c)), '') end; -- varchar strict
create macro bq.upper(b blob) as bq.text_as_bytes(translate(bq.bytes_as_text(b), 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')); -- blob strict
create macro bq.capitalized_words(s) as array_to_string(list_transform(string_split(lower(s), ' '), lambda w: upper(left(w, 1)) || substr(w, 2)), ' '); -- varchar
create macro bq.initcap(s varchar) as case when regexp_full_match(s, '[A-Za-z0-9 '']*') then bq.capitalized_words(s) else host_initcap_words(s) end; -- varchar strict
create macro bq.initcap(s varchar, delimiters varchar) as host_initcap(s, delimiters); -- varchar strict
-- Search
create macro bq.starts_with(s varchar, prefix varchar) as starts_with(s, prefix); -- boolean strict
create macro bq.starts_with(b blob, prefix blob) as starts_with(hex(b), hex(prefix)); -- boolean strict
create macro bq.ends_with(s varchar, suffix varchar) as ends_with(s, suffix); -- boolean strict
create macro bq.ends_with(b blob, suffix blob) as ends_with(hex(b), hex(suffix)); -- boolean strict
create macro bq.strpos(s varchar, part varchar) as strpos(s, part); -- bigint
create macro bq.strpos(b blob, part blob) as strpos(bq.bytes_as_text(b), bq.bytes_as_text(part)); -- bigint
create macro bq.positions(s, part) as list_filter(range(1, length(s) - length(part) + 2), lambda i: substr(s, i, length(part)) = part); -- bigint[]
-- DuckDB reverses ASCII by its bytes, and other texts by what is seen as one character.
create macro bq.last_in_ascii(s, part) as coalesce(length(s) + 2 - length(part) - nullif(strpos(reverse(s), reverse(part)), 0), 0); -- bigint
create macro bq.instr_of(s, part, start, n) as case when s is null or part is null or start is null or n is null then null when start = 0 then bq.fail('INSTR position can''t be zero') when n < 1 then bq.fail('INSTR occurrence must be positive') when start > length(s) + 1 then 0 when start > 0 and n = 1 then coalesce(nullif(strpos(substr(s, start), part), 0) + start - 1, 0) when start > 0 then coalesce(list_filter(bq.positions(s, part), lambda i: i >= start)[n], 0) when n = 1 and part <> '' and strlen(s) = length(s) then bq.last_in_ascii(left(s, greatest(length(s) + start + length(part), 0)), part) else coalesce(list_filter(bq.positions(s, part), lambda i: i <= length(s) + start + case when part = '' then 2 else 1 end)[-n], 0) end; -- bigint
create macro bq.instr(s varchar, part varchar) as list_transform([s], lambda bound: bq.instr_of(bound, part, 1, 1))[1]; -- bigint
create macro bq.instr(s varchar, part varchar, start bigint) as case when start = -1 and part <> '' and strlen(s) = length(s) then bq.last_in_ascii(s, part) else list_transform([s], lambda bound: bq.instr_of(bound, part, start, 1))[1] end; -- bigint
create macro bq.instr(s varchar, part varchar, start bigint, n bigint) as list_transform([s], lambda bound: bq.instr_of(bound, part, start, n))[1]; -- bigint
create macro bq.instr(b blob, part blob) as list_transform([bq.bytes_as_text(b)], lambda bound: bq.instr_of(bound, bq.bytes_as_text(part), 1, 1))[1]; -- bigint
create macro bq.instr(b blob, part blob, start bigint) as list_transform([bq.bytes_as_text(b)], lambda bound: bq.instr_of(bound, bq.bytes_as_text(part), start, 1))[1]; -- bigint
create macro bq.instr(b blob, part blob, start bigint, n bigint) as list_transform([bq.bytes_as_text(b)], lambda bound: bq.instr_of(bound, bq.bytes_as_text(part), start, n))[1]; -- bigint
-- Substrings
-- DuckDB takes no position beyond that of the longest text.
create macro bq.text_position(n) as case when n > 4294967295 then 4294967295 else n end; -- bigint
create macro bq.left(s varchar, n bigint) as case when s is null then null when n < 0 then bq.fail('LEFT of a negative length') else left(s, bq.text_position(n)) end; -- varchar
create macro bq.left(b blob, n bigint) as bq.text_as_bytes(list_transform([bq.bytes_as_text(b)], lambda bound: bq."left(s varchar, n bigint)"(bound, n))[1]); -- blob
create macro bq.right(s varchar, n bigint) as case when s is null then null when n < 0 then bq.fail('RIGHT of a negative length') else right(s, bq.text_position(n)) end; -- varchar
create macro bq.right(b blob, n bigint) as bq.text_as_bytes(list_transform([bq.bytes_as_text(b)], lambda bound: bq."right(s varchar, n bigint)"(bound, n))[1]); -- blob
create macro bq.substr_from(s, start) as case when start < -length(s) then s else substr(s, case when start = 0 then 1 else bq.text_position(start) end) end; -- varchar
create macro bq.substr_of(s, start, n) as case when start between 1 and 4294967295 and n between 0 and 4294967295 then substr(s, start, n) when s is null or start is null then null when n < 0 then bq.fail('SUBSTR of a negative length') else left(bq.substr_from(s, start), bq.text_position(n)) end; -- varchar
create macro bq.{substr|substring}(s varchar, start bigint) as bq.substr_from(s, start); -- varchar
create macro bq.{substr|substring}(s varchar, start bigint, n bigint) as bq.substr_of(s, start, n); -- varchar
create macro bq.{substr|substring}(b blob, start bigint) as bq.text_as_bytes(list_transform([bq.bytes_as_text(b)], lambda bound: bq.substr_from(bound, start))[1]); -- blob
create macro bq.{substr|substring}(b blob, start bigint, n bigint) as bq.text_as_bytes(list_transform([bq.bytes_as_text(b)], lambda bound: bq.substr_of(bound, start, n))[1]); -- blob
create macro bq.split(s varchar) as string_split(s, ','); -- varchar[]
create macro bq.split(s varchar, separator varchar) as case when separator is not null then string_split(s, separator) end; -- varchar[]
create macro bq.split(b blob, separator blob) as case when separator is not null then list_transform(string_split(bq.bytes_as_text(b), bq.bytes_as_text(separator)), lambda part: bq.text_as_bytes(part)) end; -- blob[]
-- Trimming and padding
create macro bq.trim(s varchar) as regexp_replace(regexp_replace(s, '^[\p{Z}\x09-\x0d\x{85}]+', ''), '[\p{Z}\x09-\x0d\x{85}]+$', ''); -- varchar strict
create macro bq.trim(s varchar, set varchar) as case when set = '' then s else trim(s, set) end; -- varchar strict
create macro bq.trim(b blob, set blob) as case when octet_length(set) = 0 then b else bq.text_as_bytes(trim(bq.bytes_as_text(b), bq.bytes_as_text(set))) end; -- blob strict
create macro bq.ltrim(s varchar) as regexp_replace(s, '^[\p{Z}\x09-\x0d\x{85}]+', ''); -- varchar strict
create macro bq.ltrim(s varchar, set varchar) as case when set = '' then s else ltrim(s, set) end; -- varchar strict
create macro bq.any_byte(set blob) as array_to_string(regexp_extract_all(hex(set), '..'), '|'); -- varchar
create macro bq.ltrim(b blob, set blob) as case when octet_length(set) = 0 then b else unhex(regexp_replace(hex(b), '^(?:' || bq.any_byte(set) || ')+', '')) end; -- blob strict
create macro bq.rtrim(s varchar) as regexp_replace(s, '[\p{Z}\x09-\x0d\x{85}]+$', ''); -- varchar strict
create macro bq.rtrim(s varchar, set varchar) as case when set = '' then s else rtrim(s, set) end; -- varchar strict
create macro bq.rtrim(b blob, set blob) as case when octet_length(set) = 0 then b else unhex(regexp_replace(hex(b), '(?:' || bq.any_byte(set) || ')+$', '')) end; -- blob strict
create macro bq.padding(s, n, pattern) as case when s is null or n is null or pattern is null then null when n < 0 then bq.fail('LPAD/RPAD to a negative length') when n > 1048576 then bq.fail('Output of LPAD/RPAD exceeds max allowed output size of 1MB') when pattern = '' then bq.fail('LPAD/RPAD with an empty pattern') else left(repeat(pattern, cast(ceil(greatest(n - length(s), 0) / length(pattern)) as bigint)), greatest(n - length(s), 0)) end; -- varchar
create macro bq.lpad(s varchar, n bigint) as list_transform([s], lambda bound: bq.padding(bound, n, ' ') || left(bound, n))[1]; -- varchar
create macro bq.lpad(s varchar, n bigint, pattern varchar) as list_transform([s], lambda bound: bq.padding(bound, n, pattern) || left(bound, n))[1]; -- varchar
create macro bq.lpad(b blob, n bigint) as bq.text_as_bytes(list_transform([bq.bytes_as_text(b)], lambda bound: bq.padding(bound, n, ' ') || left(bound, n))[1]); -- blob
create macro bq.lpad(b blob, n bigint, pattern blob) as bq.text_as_bytes(list_transform([bq.bytes_as_text(b)], lambda bound: bq.padding(bound, n, bq.bytes_as_text(pattern)) || left(bound, n))[1]); -- blob
create macro bq.rpad(s varchar, n bigint) as list_transform([s], lambda bound: left(bound, n) || bq.padding(bound, n, ' '))[1]; -- varchar
create macro bq.rpad(s varchar, n bigint, pattern varchar) as list_transform([s], lambda bound: left(bound, n) || bq.padding(bound, n, pattern))[1]; -- varchar
create macro bq.rpad(b blob, n bigint) as bq.text_as_bytes(list_transform([bq.bytes_as_text(b)], lambda bound: left(bound, n) || bq.padding(bound, n, ' '))[1]); -- blob
create macro bq.rpad(b blob, n bigint, pattern blob) as bq.text_as_bytes(list_transform([bq.bytes_as_text(b)], lambda bound: left(bound, n) || bq.padding(bound, n, bq.bytes_as_text(pattern)))[1]); -- blob
-- Transformations
-- A value of many gigabytes would be made in one step, which neither the memory limit nor an interrupt stops.
create macro bq.repeated(s, n, size) as case when s is null or n is null then null when n < 0 then bq.fail('REPEAT with a negative count') when size > 0 and n > 1048576 // size then bq.fail('Output of REPEAT exceeds max allowed output size of 1MB') when size > 0 then repeat(s, n) else s end; -- varchar
create macro bq.repeat(s varchar, n bigint) as list_transform([s], lambda bound: bq.repeated(bound, n, strlen(bound)))[1]; -- varchar
create macro bq.repeat(b blob, n bigint) as unhex(list_transform([hex(b)], lambda bound: bq.repeated(bound, n, strlen(bound) // 2))[1]); -- blob
create macro bq.replace(s varchar, part varchar, other varchar) as case when part = '' and other is not null then s else replace(s, part, other) end; -- varchar strict
create macro bq.replace(b blob, part blob, other blob) as case when octet_length(part) = 0 and other is not null then b else bq.text_as_bytes(replace(bq.bytes_as_text(b), bq.bytes_as_text(part), bq.bytes_as_text(other))) end; -- blob strict
-- Forms for the SQL of callers, which compute how long the text becomes before they make it.
create macro bq.bounded_replace(s, part, other) as case when strlen(s) + strlen(s) // strlen(part) * strlen(other) <= 1048576 then bq."replace(s varchar, part varchar, other varchar)"(s, part, other) when strlen(s) + (strlen(s) - strlen(replace(s, part, ''))) // strlen(part) * (strlen(other) - strlen(part)) > 1048576 then bq.fail('a text has more than 1,048,576 bytes') else bq."replace(s varchar, part varchar, other varchar)"(s, part, other) end; -- varchar
create macro bq.rewritten_bytes(s, matches, rewrite) as strlen(s) * (1 + len(regexp_extract_all(rewrite, '\\[0-9]'))) + len(matches) * strlen(rewrite); -- bigint
create macro bq.bounded_regexp_replace(s, pattern, rewrite) as case when (strlen(s) + 1) * (1 + strlen(rewrite)) <= 1048576 then bq."regexp_replace(s varchar, pattern varchar, rewrite varchar)"(s, pattern, rewrite) when bq.rewritten_bytes(s, regexp_extract_all(bq.undivided(s, pattern), pattern), rewrite) > 1048576 then bq.fail('a text has more than 1,048,576 bytes') else bq."regexp_replace(s varchar, pattern varchar, rewrite varchar)"(s, pattern, rewrite) end; -- varchar
create macro bq.bounded_array_to_string(a, delimiter) as case when list_sum(list_transform(a, lambda x: strlen(x))) + len(a) * strlen(delimiter) > 1048576 then bq.fail('a text has more than 1,048,576 bytes') else bq."array_to_string(a varchar[], delimiter varchar)"(a, delimiter) end; -- varchar
create macro bq.bounded_array_to_string_with_nulls(a, delimiter, null_text) as case when list_sum(list_transform(a, lambda x: coalesce(strlen(x), strlen(null_text)))) + len(a) * strlen(delimiter) > 1048576 then bq.fail('a text has more than 1,048,576 bytes') else bq."array_to_string(a varchar[], delimiter varchar, null_text varchar)"(a, delimiter, null_text) end; -- varchar
create macro bq.bounded_array_to_bytes(a, delimiter) as case when list_sum(list_transform(a, lambda x: octet_length(x))) + len(a) * octet_length(delimiter) > 1048576 then bq.fail('a value has more than 1,048,576 bytes') else bq."array_to_string(a blob[], delimiter blob)"(a, delimiter) end; -- blob
create macro bq.bounded_array_to_bytes_with_nulls(a, delimiter, null_text) as case when list_sum(list_transform(a, lambda x: coalesce(octet_length(x), octet_length(null_text)))) + len(a) * octet_length(delimiter) > 1048576 then bq.fail('a value has more than 1,048,576 bytes') else bq."array_to_string(a blob[], delimiter blob, null_text blob)"(a, delimiter, null_text) end; -- blob
-- BYTES are judged by the most that can come of their lengths: to find the parts takes as long as to replace them.
create macro bq.bounded_replace_bytes(b, part, other) as case when octet_length(b) + octet_length(b) // octet_length(part) * octet_length(other) > 1048576 then bq.fail('a value has more than 1,048,576 bytes') else bq."replace(b blob, part blob, other blob)"(b, part, other) end; -- blob
create macro bq.bounded_regexp_replace_bytes(b, pattern, rewrite) as case when (octet_length(b) + 1) * (1 + octet_length(rewrite)) > 1048576 then bq.fail('a value has more than 1,048,576 bytes') else bq."regexp_replace(b blob, pattern blob, rewrite blob)"(b, pattern, rewrite) end; -- blob
create macro bq.reverse(s varchar) as array_to_string(list_reverse(bq.characters(s)), ''); -- varchar
create macro bq.reverse(b blob) as unhex(array_to_string(list_reverse(regexp_extract_all(hex(b), '..')), '')); -- blob
create macro bq.translate(s varchar, these varchar, those varchar) as case when len(list_distinct(bq.characters(these))) < length(these) then bq.fail('Duplicate character in TRANSLATE source characters') else translate(s, these, those) end; -- varchar
create macro bq.translate(b blob, these blob, those blob) as bq.text_as_bytes(bq."translate(s varchar, these varchar, those varchar)"(bq.bytes_as_text(b), bq.bytes_as_text(these), bq.bytes_as_text(those))); -- blob
create macro bq.soundex_code(letters) as replace(translate(upper(letters), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '01230120022455012623010202'), '0', ''); -- varchar
create macro bq.soundex_of(letters) as case when letters = '' then '' else rpad(left(letters, 1) || left(substr(regexp_replace(bq.soundex_code(letters), '(1)1+|(2)2+|(3)3+|(4)4+|(5)5+|(6)6+', '\1\2\3\4\5\6', 'g'), 1 + length(bq.soundex_code(left(letters, 1)))), 3), 4, '0') end; -- varchar
create macro bq.soundex(s varchar) as bq.soundex_of(regexp_replace(s, '[^A-Za-z]', '', 'g')); -- varchar
create macro bq.normalize(s varchar) as nfc_normalize(s); -- varchar
create macro bq.normalize_nfc(s varchar) as nfc_normalize(s); -- varchar
create macro bq.normalize_{nfd|nfkc|nfkd}(s varchar) as host_normalize(s, '{NFD|NFKC|NFKD}'); -- varchar
create macro bq.normalize_and_{casefold|casefold_nfc|casefold_nfd|casefold_nfkc|casefold_nfkd}(s varchar) as host_casefold(s, '{NFC|NFC|NFD|NFKC|NFKD}'); -- varchar
create macro bq.edit_row(above, step, b) as list_reduce(list_transform(b, lambda n, j: [n, above[j], above[j + 1]]), lambda row, cell: list_append(row, least(row[-1] + 1, cell[3] + 1, cell[2] + case when cell[1] = step[2] then 0 else 1 end)), [step[1]]); -- bigint[]
-- Its time is the product of the lengths, and that of the form for texts that are not ASCII grows faster. Nothing interrupts it.
create macro bq.edit_distance_refusal(a varchar, b varchar) as case when length(a) * length(b) > 10000000 then 'EDIT_DISTANCE of texts whose lengths have a product over 10,000,000 is not supported' when length(a) * length(b) > 250000 and (strlen(a) > length(a) or strlen(b) > length(b)) then 'EDIT_DISTANCE of texts that are not ASCII, and whose lengths have a product over 250,000, is not supported' end; -- varchar
create macro bq.edit_distance_refusal(a varchar, b varchar, most bigint) as bq."edit_distance_refusal(a varchar, b varchar)"(a, b); -- varchar
create macro bq.edit_distance(a varchar, b varchar) as case when bq."edit_distance_refusal(a varchar, b varchar)"(a, b) is not null then bq.fail(bq."edit_distance_refusal(a varchar, b varchar)"(a, b)) when strlen(a) = length(a) and strlen(b) = length(b) then levenshtein(a, b) else list_reduce(list_transform(bq."to_code_points(s varchar)"(a), lambda n, i: [i, n]), lambda row, step: bq.edit_row(row, step, bq."to_code_points(s varchar)"(b)), range(0, length(b) + 1))[-1] end; -- bigint
create macro bq.edit_distance(a varchar, b varchar, most bigint) as case when a is null or b is null or most is null then null when most < 0 then bq.fail('EDIT_DISTANCE with a negative max_distance') else least(bq."edit_distance(a varchar, b varchar)"(a, b), most) end; -- bigint
-- Encodings
create macro bq.to_hex(b blob) as lower(hex(b)); -- varchar strict
create macro bq.from_hex(s varchar) as case when regexp_full_match(s, '[0-9A-Fa-f]*') then unhex(s) when s is not null then bq.fail('Failed to decode invalid hexadecimal string: ' || s) end; -- blob
create macro bq.to_base64(b blob) as to_base64(b); -- varchar strict
create macro bq.padded(s) as s || repeat('=', (4 - length(s) % 4) % 4); -- varchar
create macro bq.from_base64(s varchar) as from_base64(bq.padded(regexp_replace(s, '[ \t\n\v\f\r]', '', 'g'))); -- blob
create macro bq.from_bits(bits) as list_sum(list_transform(bq.characters(bits), lambda bit, i: cast(bit as bigint) << cast(length(bits) - i as integer))); -- bigint
create macro bq.base32_of(bits) as array_to_string(list_transform(regexp_extract_all(rpad(bits, cast(ceil(length(bits) / 5) * 5 as integer), '0'), '.....'), lambda five: substr('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', cast(bq.from_bits(five) as bigint) + 1, 1)), '') || repeat('=', (8 - cast(ceil(length(bits) / 5) as bigint) % 8) % 8); -- varchar
create macro bq.to_base32(b blob) as bq.base32_of(array_to_string(list_transform(regexp_extract_all(hex(b), '..'), lambda h: format('{:08b}', cast('0x' || h as integer))), '')); -- varchar
create macro bq.bytes_of_bits(bits) as unhex(array_to_string(list_transform(regexp_extract_all(bits, '........'), lambda eight: format('{:02X}', cast(bq.from_bits(eight) as bigint))), '')); -- blob
create macro bq.from_base32(s varchar) as case when regexp_full_match(s, '([A-Z2-7]{8})*([A-Z2-7]{2}=+|[A-Z2-7]{4}=+|[A-Z2-7]{5}=+|[A-Z2-7]{7}=)?') and length(s) % 8 = 0 then bq.bytes_of_bits(array_to_string(list_transform(bq.characters(rtrim(s, '=')), lambda c: format('{:05b}', strpos('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', c) - 1)), '')) when s is not null then bq.fail('Failed to decode invalid base32 string: ' || s) end; -- blob
create macro bq.text_of_bytes(b) as coalesce(try(decode(b)), array_to_string(list_transform(regexp_extract_all(bq.bytes_as_text(b), '[\x01-\x7f]+|[\x{c2}-\x{df}][\x{80}-\x{bf}]|(?:\x{e0}[\x{a0}-\x{bf}]|[\x{e1}-\x{ec}\x{ee}\x{ef}][\x{80}-\x{bf}]|\x{ed}[\x{80}-\x{9f}])[\x{80}-\x{bf}]|(?:\x{f0}[\x{90}-\x{bf}]|[\x{f1}-\x{f3}][\x{80}-\x{bf}]|\x{f4}[\x{80}-\x{8f}])[\x{80}-\x{bf}]{2}|(?s:.)'), lambda piece: coalesce(try(decode(bq.text_as_bytes(piece))), chr(65533))), '')); -- varchar
create macro bq.safe_convert_bytes_to_string(b blob) as list_transform([b], lambda b_: bq.text_of_bytes(b_))[1]; -- varchar
create macro bq.search_refusal(s, query varchar) as host_search_refusal(query); -- varchar
-- SEARCH: most texts lack a text that every match has.
create macro bq.search(s varchar, query varchar) as case when s is null then null when query is null then bq.fail('SEARCH: the search query is NULL') when contains(lower(s), host_search_needle(query)) then host_search(s, query) else false end; -- boolean

-- The key that is compared for the collation 'und:ci': ICU's sort key of letters and accents, without the level of case. Its options are a part of the locale.
create macro bq.collation_key(x varchar) as icu_sort_key(x, 'und@colStrength=secondary'); -- varchar strict
