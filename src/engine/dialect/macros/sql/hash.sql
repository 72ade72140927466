create macro bq.md5(x varchar) as unhex(md5(x)); -- blob
create macro bq.md5(x blob) as unhex(md5(x)); -- blob
create macro bq.sha1(x varchar) as unhex(sha1(x)); -- blob
create macro bq.sha1(x blob) as unhex(sha1(x)); -- blob
create macro bq.sha256(x varchar) as unhex(sha256(x)); -- blob
create macro bq.sha256(x blob) as unhex(sha256(x)); -- blob
