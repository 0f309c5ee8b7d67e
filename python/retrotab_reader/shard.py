"""Jobs and shards, the results of single units: sections 3 and 4 of docs/protocol.md."""

import json
import struct

import blake3
import numpy
import zstandard

from .table import FRAME, TYPES, require

NAMES = {
    "stack": lambda p: f"stack table: {p['stacks']} stacks, {p['cards']} cards a lane, "
    f"rule {p['rule']}",
    "sticks": lambda p: f"stick table: rows of 1 to {p['rows']} sticks",
    "hands": lambda p: f"hand table: {p['game']}, "
    + {"holdem": "169 x 169", "omaha": "16432 x 16432"}[p["game"]] + " clusters",
}


def identity_text(manifest, unit_entries):
    """What fixes the shards of the job that makes a table in units of so many entries."""
    table, sections = manifest["table"], manifest["sections"]
    listed = "".join(f"{section['name']} {section['entries']}\n" for section in sections)
    compression = manifest["compression"]
    lines = {
        "job-format": 1,
        "table": "stick table: one row of one stick" if table.get("rows") == 1
        else NAMES[table["family"]](table),
        "rules": manifest["rule"],
        "columns": " ".join(f"{c['name']}:{c['entry']}" for c in manifest["columns"]),
        "sections": f"{len(sections)} {digest(listed.encode())}",
        "frame-bytes": FRAME,
        "zstd": f"{compression['zstd_version']} level {compression['zstd_level']}",
        "unit-entries": unit_entries,
    }
    return "".join(f"{key} {value}\n" for key, value in lines.items())


def digest(data):
    return blake3.blake3(data).hexdigest()


def units(manifest, unit_entries):
    """Section, first entry in it, and number of entries of every unit."""
    for number, section in enumerate(manifest["sections"]):
        for first in range(0, section["entries"], unit_entries):
            yield number, first, min(unit_entries, section["entries"] - first)


def encode(job, unit, place, columns):
    """The bytes of a shard; `place` is one of `units`, `columns` an array for each column."""
    section, first, entries = place
    header = {"format": "retrotab-shard", "version": 1, "job": job, "unit": unit,
              "section": section, "first": first, "entries": entries,
              "columns": [digest(column.tobytes()) for column in columns]}
    header = json.dumps(header, separators=(",", ":")).encode()
    parts, sizes = [struct.pack("<II", 0x184D2A50, len(header)) + header], [(len(header) + 8, 0)]
    compressor = zstandard.ZstdCompressor(level=3, write_checksum=True, write_content_size=True)
    for raw in map(numpy.ndarray.tobytes, columns):
        for start in range(0, len(raw), FRAME):
            parts.append(compressor.compress(raw[start : start + FRAME]))
            sizes.append((len(parts[-1]), len(raw[start : start + FRAME])))
    parts.append(struct.pack("<II", 0x184D2A5E, 8 * len(sizes) + 9))
    parts += [struct.pack("<II", *size) for size in sizes]
    return b"".join(parts) + struct.pack("<IBI", len(sizes), 0, 0x8F92EAB1)


def decode(data, types):
    """Header and columns of a shard whose columns have these types, checked by its digests."""
    magic, length = struct.unpack("<II", data[:8])
    require(magic == 0x184D2A50 and length <= 1 << 16, "it is no shard")
    header = json.loads(data[8 : 8 + length])
    require((header["format"], header["version"]) == ("retrotab-shard", 1), "an unknown shard")
    # Frames know their sizes; skippable ones, and so the seek table, are passed over.
    with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as reader:
        raw = reader.read()
    columns = []
    for name, found in zip(types, header["columns"], strict=True):
        size = header["entries"] * TYPES[name].itemsize
        columns.append(numpy.frombuffer(raw[:size], TYPES[name]))
        raw = raw[size:]
        require(digest(columns[-1].tobytes()) == found, "the values have another digest")
    require(not raw, "there is more than the values")
    return header, columns
