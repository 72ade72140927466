-- BYTES are processed as STRINGs with one character for each byte.
create macro bq.characters(s varchar) as list_filter(string_split(s, ''), lambda c: c <> ''); -- varchar[]
create macro bq.bytes_as_text(b blob) as array_to_string(list_transform(regexp_extract_all(hex(b), '..'), lambda h: chr(cast('0x' || h as integer))), ''); -- varchar
create macro bq.text_as_bytes(s varchar) as unhex(array_to_string(list_transform(bq.characters(s), lambda c: format('{:02X}', unicode(c))), '')); -- blob
