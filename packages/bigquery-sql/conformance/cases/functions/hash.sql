-- MD5
md5(${string})
md5(${bytes})
to_hex(md5('abc'))
to_hex(${sha1; sha256; md5}(${string}))
-- SHA1
sha1(${string})
sha1(${bytes})
-- SHA256
sha256(${string})
sha256(${bytes})
-- SHA512
sha512(${string})
sha512(${bytes})
-- FARM_FINGERPRINT
farm_fingerprint(${string})
farm_fingerprint(${bytes})
farm_fingerprint(repeat('x', ${16; 32; 33; 64; 65; 200}))
