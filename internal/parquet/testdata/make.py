"""Writes the Parquet files beside it, with pyarrow 26: python make.py."""

import decimal
import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

here = pathlib.Path(__file__).parent


def write(name, columns, schema=False, **options):
    pq.write_table(pa.table(columns), here / f"{name}.parquet", store_schema=schema, write_statistics=False, **options)


# Numbers that hardly pack: LZ4's pages are then almost as long as what they hold.
mixed = pa.array([(i * 7919 + 13) % 10007 / 10007 for i in range(200)])
write("lz4", {"x": mixed, "step": pa.array(range(200), pa.int32())}, compression="lz4", use_dictionary=False)
write("lz4-pages", {"x": mixed}, compression="lz4", data_page_version="2.0", data_page_size=400, write_batch_size=20)

packings = ["none", "snappy", "gzip", "zstd", "lz4", "brotli"]
write("codecs", {c: pa.array([i % 3 for i in range(12)], pa.int64()) for c in packings}, compression={c: c for c in packings}, row_group_size=5)

d = decimal.Decimal
write("types", {
    "i": pa.array([1, None, 2**62 + 1]),
    "u": pa.array([2**64 - 1, 0, None], pa.uint64()),
    "h": pa.array(np.array([1.5, -2, np.inf], "f2")),
    "b": pa.array([True, None, False]),
    "dec": pa.array([d("1.23"), None, d("-0.05")], pa.decimal128(5, 2)),
    "dec0": pa.array([d(2**64 - 1), d(-5), None], pa.decimal128(20, 0)),
    "long": pa.array([d("12345678901234567890.5"), None, None], pa.decimal128(30, 1)),
    "at": pa.array([0, 1, None], pa.timestamp("ms")),
    "utc": pa.array([0, 1, None], pa.timestamp("us", tz="UTC")),
    "clock": pa.array([1, 86399999999, None], pa.time64("us")),
    "bell": pa.array([1, None, None], pa.time32("ms")),
    "day": pa.array([0, 18262, None], pa.date32()),
    "raw": pa.array([b"\xff\x00", b"ab", None]),
    "text": pa.array(["x", "", None]).dictionary_encode(),
})

write("lists", {
    "flat": pa.array([[1.0, 2.0], [], None, [3.0]]),
    "grid": pa.array([[[1, 2], [3, 4]], [[5, 6]], [], [[7, 8]]]),
    "uneven": pa.array([[[1, 2], [3]], [[4]], [], []]),
    "of": pa.array([{"a": 1, "b": {"c": 2.5}}, {"a": None, "b": None}, None, {"a": 4, "b": {"c": None}}]),
})

spans = {u: pa.array([1, None, 2**53 + 1], pa.duration(u)) for u in ["s", "ms", "us", "ns"]}
write("spans", spans | {
    "n": pa.array([1, 2, 3]),
    "at": pa.array([0, 1, 2], pa.timestamp("us")),
    "of": pa.array([{"d": 5, "n": 1}, None, {"d": 7, "n": 2}], pa.struct({"d": pa.duration("us"), "n": pa.int64()})),
    "list": pa.array([[5], [], [7, 8]], pa.list_(pa.duration("ns"))),
}, schema=True)
write("spans-bare", {"us": spans["us"]})


# Columns of one name, at every depth.
def struct(names, *columns):
    return pa.StructArray.from_arrays([pa.array(c) for c in columns], names=names)


def dictionary(*rows):
    return pa.array(rows, pa.map_(pa.string(), pa.int64()))


twice = [
    ("a", pa.array([1, 2, 3])), ("a", pa.array([10, 20, 30])), ("A", pa.array([0.5, 1.5, None])),
    ("a", pa.array(["x", None, "z"])), ("", pa.array([5, 6, 7])), ("", pa.array(["u", "v", "w"])),
    ("d", pa.array([1, 2, 3], pa.duration("s"))), ("d", pa.array([4, 5, 6])),
    ("of", struct(["x", "x"], [1, 2, 3], ["p", "q", "r"])), ("of", struct(["x"], [0.25, 0.5, 0.75])),
    ("a", struct(["b"], [8, 9, 8])), ("a.b", pa.array([7, 6, 5])),
    ("list", pa.array([[1, 2], [], [3]])), ("list", pa.array([["s"], ["t"], ["u"]])),
    ("rows", pa.ListArray.from_arrays([0, 1, 3, 3], struct(["x", "x"], [1, 2, 3], [4, 5, 6]))),
    ("m", dictionary([("k", 1)], [], [("l", 2)])), ("m", dictionary([], [("i", 3), ("j", 4)], [])),
]
table = pa.Table.from_arrays([c for _, c in twice], names=[n for n, _ in twice])
pq.write_table(table, here / "twice.parquet", write_statistics=False)
