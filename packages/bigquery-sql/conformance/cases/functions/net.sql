-- NET.HOST
net.host(${url})
-- NET.REG_DOMAIN
net.reg_domain(${url})
-- NET.PUBLIC_SUFFIX
net.public_suffix(${url})
-- NET.IP_FROM_STRING
net.ip_from_string(${'1.2.3.4'; '255.255.255.255'; '::1'; '2001:db8::1'; '1.2.3'; '1.2.3.256'; '::ffff:1.2.3.4'; ''; 'x'; '01.2.3.4'; null})
-- NET.SAFE_IP_FROM_STRING
net.safe_ip_from_string(${'1.2.3.4'; '255.255.255.255'; '::1'; '2001:db8::1'; '1.2.3'; '1.2.3.256'; '::ffff:1.2.3.4'; ''; 'x'; null})
-- NET.IP_TO_STRING
net.ip_to_string(${ip})
-- NET.IP_NET_MASK
net.ip_net_mask(${4; 16; 5}, ${0; 8; 20; 32; 33; -1; 128})
-- NET.IP_TRUNC
net.ip_trunc(${ip}, ${0; 8; 20; 32; 33; -1})
-- NET.IPV4_FROM_INT64
net.ipv4_from_int64(${0; 16909060; 4294967295; -1; -2147483648; 4294967296; null})
-- NET.IPV4_TO_INT64
net.ipv4_to_int64(${ip})
