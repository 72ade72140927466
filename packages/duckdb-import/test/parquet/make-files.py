"""Writes the files that DuckDB cannot write, with pyarrow 26; the tests read them as they are."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

here = Path(__file__).parent


def write(name, columns, **options):
    names, arrays = zip(*columns)
    pq.write_table(pa.Table.from_arrays(list(arrays), names=list(names)), here / f'{name}.parquet', **options)


n = pa.array([1, 2])
wide = pa.decimal256(76, 38)
tenth = Decimal('0.1')
write('wide-decimals', [
    ('n', n),
    ('d', pa.array([Decimal('123456789012345678901234567890.12'), None], wide)),
    ('r', pa.array([{'d': tenth, 'k': 1}, None], pa.struct([('d', wide), ('k', pa.int64())]))),
    ('l', pa.array([[tenth], []], pa.list_(wide))),
    ('m', pa.array([[('a', tenth)], []], pa.map_(pa.string(), wide))),
])
write('without-values', [
    ('n', n),
    ('v', pa.nulls(2)),
    ('r', pa.array([{'v': None, 'k': 1}, None], pa.struct([('v', pa.null()), ('k', pa.int64())]))),
    ('l', pa.array([[None], []], pa.list_(pa.null()))),
    ('lr', pa.array([[{'v': None}, {'v': None}], []], pa.list_(pa.struct([('v', pa.null())])))),
])
records = pa.array([[{'k': 'a'}, {'k': 'b'}], [{'k': 'c'}]], pa.list_(pa.struct([('k', pa.string())])))
write('same-names', [('n', n), ('l', records), ('l', pa.nulls(2, records.type))])
pairs = pa.StructArray.from_arrays([pa.array(['a', 'b', 'c']), pa.array(['x', 'y', 'z'])], names=['k', 'k'])
write('same-members', [('n', n), ('l', pa.ListArray.from_arrays([0, 2, 3], pairs))])
write('similar-names', [('n', n), ('l', pa.array([1, None])), ('l, x', pa.array(['p', 'q']))])
moments = pa.array([datetime(2026, 1, 1), datetime(2026, 1, 2)])
late = pa.array([5, 300_000_000_000_000_000])
write('without-statistics', [
    ('n', n),
    ('t', moments.cast(pa.timestamp('us', 'UTC'))),
    ('l', pa.array([[date(2026, 1, 1)], None])),
], write_statistics=False)
write('late-times', [
    ('n', n),
    ('t', late.cast(pa.timestamp('us', 'UTC'))),
    ('l', pa.array([[5], [3_000_000]], pa.list_(pa.int32())).cast(pa.list_(pa.date32()))),
], write_statistics=False)
json = lambda *texts: pa.ExtensionArray.from_storage(pa.json_(pa.string()), pa.array(texts))
write('no-json', [('n', n), ('j', json('{}', 'not json'))])
write('utc-times', [('n', n), ('v', pa.array([3_600_000_001, None]).cast(pa.time64('us')))],
      write_time_adjusted_to_utc=True)
