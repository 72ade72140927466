create macro bq.net_octets(hex) as list_transform(range(1, len(hex), 2), lambda i: cast('0x' || substr(hex, i, 2) as bigint)); -- bigint[]
create macro bq.net_quartets(hex) as list_transform(range(1, len(hex), 4), lambda i: coalesce(nullif(ltrim(substr(hex, i, 4), '0'), ''), '0')); -- varchar[]
create macro bq.net_hex_v4(s) as array_to_string(list_transform(string_split(s, '.'), lambda o: format('{:02x}', cast(o as bigint))), ''); -- varchar
create macro bq.net_hex_groups(s) as case when s = '' then '' else array_to_string(list_transform(string_split(s, ':'), lambda g: case when contains(g, '.') then bq.net_hex_v4(g) else lpad(g, 4, '0') end), '') end; -- varchar
create macro bq.net_padded(left_side, right_side) as case when len(left_side) + len(right_side) <= 28 then left_side || repeat('0', 32 - len(left_side) - len(right_side)) || right_side end; -- varchar
create macro bq.net_hex_v6(left_side, right_side) as list_transform([row(left_side, right_side)], lambda args: bq.net_padded(args[1], args[2]))[1]; -- varchar
create macro bq.net_is_v4(s) as regexp_full_match(s, '(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}'); -- boolean
create macro bq.net_is_v6(s) as regexp_full_match(s, '(?i)([0-9a-f]{1,4}(:[0-9a-f]{1,4})*)?(::)?([0-9a-f]{1,4}:)*([0-9a-f]{1,4}|(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})?') and s not like '%:::%'; -- boolean
create macro bq.net_ip_read(s) as case when bq.net_is_v4(s) then unhex(bq.net_hex_v4(s)) when not bq.net_is_v6(s) then null when contains(s, '::') then unhex(bq.net_hex_v6(bq.net_hex_groups(split_part(s, '::', 1)), bq.net_hex_groups(split_part(s, '::', 2)))) when len(bq.net_hex_groups(s)) = 32 and contains(s, ':') then unhex(bq.net_hex_groups(s)) end; -- blob
create macro bq.net_safe_ip_from_string(s varchar) as list_transform([s], lambda s_: bq.net_ip_read(s_))[1]; -- blob
create macro bq.net_ip_or_error(s) as case when s is not null then coalesce(bq.net_safe_ip_from_string(s), bq.fail('NET.IP_FROM_STRING() encountered an unparseable IP-address: ' || s)) end; -- blob
create macro bq.net_ip_from_string(s varchar) as list_transform([s], lambda s_: bq.net_ip_or_error(s_))[1]; -- blob
create macro bq.net_text_v4(hex) as array_to_string(bq.net_octets(hex), '.'); -- varchar
create macro bq.net_longest_zeros(groups) as coalesce(list_filter(list_transform(range(8, 1, -1), lambda n: ':' || repeat('0:', n)), lambda zeros: contains(groups, zeros))[1], ''); -- varchar
create macro bq.net_cut(groups, zeros) as case when zeros = '' then groups else substr(groups, 1, instr(groups, zeros) - 1) || '::' || substr(groups, instr(groups, zeros) + len(zeros)) end; -- varchar
create macro bq.net_without_zeros(groups, zeros) as list_transform([row(groups, zeros)], lambda args: bq.net_cut(args[1], args[2]))[1]; -- varchar
create macro bq.net_text_v6(groups) as regexp_replace(regexp_replace(bq.net_without_zeros(groups, bq.net_longest_zeros(groups)), '^:([^:])', '\1'), '([^:]):$', '\1'); -- varchar
create macro bq.net_ip_text(ip) as case when octet_length(ip) = 4 then bq.net_text_v4(hex(ip)) when octet_length(ip) <> 16 then bq.fail('NET.IP_TO_STRING() encountered an invalid IP address. Expected 4 (for IPv4) or 16 (for IPv6) bytes but got ' || octet_length(ip)) when regexp_matches(hex(ip), '^0{20}FFFF') then '::ffff:' || bq.net_text_v4(substr(hex(ip), 25)) when regexp_matches(hex(ip), '^0{24}') and not regexp_matches(hex(ip), '^0{28}') then '::' || bq.net_text_v4(substr(hex(ip), 25)) else bq.net_text_v6(':' || array_to_string(bq.net_quartets(lower(hex(ip))), ':') || ':') end; -- varchar
create macro bq.net_ip_to_string(ip blob) as list_transform([ip], lambda ip_: bq.net_ip_text(ip_))[1]; -- varchar
create macro bq.net_mask(length, prefix) as case when length not in (4, 16) then bq.fail_if(prefix is not null, 'The first argument of NET.IP_NET_MASK() must be either 4 (for IPv4) or 16 (for IPv6); got ' || length) when prefix < 0 or prefix > length * 8 then bq.fail('The second argument of NET.IP_NET_MASK() must be between 0 and ' || length * 8 || '; got ' || prefix) else unhex(rpad(repeat('f', prefix // 4) || case when prefix % 4 > 0 then substr('08ce', prefix % 4 + 1, 1) else '' end, cast(length * 2 as integer), '0')) end; -- blob
create macro bq.net_ip_net_mask(length bigint, prefix bigint) as list_transform([row(length, prefix)], lambda args: bq.net_mask(args[1], args[2]))[1]; -- blob
create macro bq.net_truncated(ip, prefix) as case when octet_length(ip) not in (4, 16) then bq.fail_if(prefix is not null, 'The first argument of NET.IP_TRUNC() must have length 4 (for IPv4) or 16 (for IPv6); got ' || octet_length(ip)) when prefix < 0 or prefix > octet_length(ip) * 8 then bq.fail('The second argument of NET.IP_TRUNC() must be between 0 and ' || octet_length(ip) * 8 || '; got ' || prefix) else unhex(rpad(substr(hex(ip), 1, prefix // 4) || bq.net_trunc_digit(substr(hex(ip), prefix // 4 + 1, 1), prefix % 4), cast(octet_length(ip) * 2 as integer), '0')) end; -- blob
create macro bq.net_ip_trunc(ip blob, prefix bigint) as list_transform([row(ip, prefix)], lambda args: bq.net_truncated(args[1], args[2]))[1]; -- blob
create macro bq.net_trunc_digit(digit, bits) as case when bits = 0 then '' else format('{:x}', cast('0x' || digit as bigint) & (16 - (16 >> cast(bits as integer)))) end; -- varchar
create macro bq.net_ipv4(n) as case when n between -2147483648 and 4294967295 then unhex(format('{:08x}', n & 4294967295)) when n is not null then bq.fail('NET.IPV4_FROM_INT64() encountered an invalid integer IP. Expected range: [-0x80000000, 0xFFFFFFFF]; got ' || n) end; -- blob
create macro bq.net_ipv4_from_int64(n bigint) as list_transform([n], lambda n_: bq.net_ipv4(n_))[1]; -- blob
create macro bq.net_ipv4_number(ip) as case when octet_length(ip) = 4 then cast('0x' || hex(ip) as bigint) when ip is not null then bq.fail('NET.IPV4_TO_INT64() encountered a non-IPv4 address. Expected 4 bytes but got ' || octet_length(ip)) end; -- bigint
create macro bq.net_ipv4_to_int64(ip blob) as list_transform([ip], lambda ip_: bq.net_ipv4_number(ip_))[1]; -- bigint
create macro bq.net_after_scheme(url) as regexp_replace(trim(url, E' \t\n\v\f\r'), '^([/\\]{2}|[^#/?\\:]*:[/\\]{2})', ''); -- varchar
create macro bq.net_authority(rest) as regexp_replace(regexp_extract(rest, '^[^#/?\\]*'), '(?s)^.*@', ''); -- varchar
-- The host of a usual URL is found by one pattern.
create macro bq.net_usual_host(url) as regexp_extract(url, '^[A-Za-z]+://([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)(?::[0-9]*)?(?:[/?#]|$)', 1); -- varchar
create macro bq.net_host(url varchar) as case when bq.net_usual_host(url) <> '' then bq.net_usual_host(url) else bq.net_other_host(url) end; -- varchar
create macro bq.net_other_host(url) as nullif(regexp_replace(ltrim(regexp_extract(bq.net_authority(bq.net_after_scheme(url)), '^(\[[^\[\]]*[\[\]]?)?[^:]*'), '.'), '\.+$', '.'), ''); -- varchar
create macro bq.net_public_suffix(url varchar) as host_public_suffix(bq.net_host(url)); -- varchar
create macro bq.net_reg_domain(url varchar) as host_reg_domain(bq.net_host(url)); -- varchar
