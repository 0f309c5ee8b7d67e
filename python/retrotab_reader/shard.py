"""Jobs and shards, the results of single units: sections 3 and 4 of docs/protocol.md."""

import json
import struct

import blake3
import numpy
import zstandard

from .table import FRAME, TYPES, require

CLUSTERS = {"holdem": 169, "omaha": 16_432}


def digest(data):
    return blake3.blake3(data).hexdigest()


def name(family, stacks=0, cards=0, rule="", rows=0, game="holdem"):
    """A table's parameters, for people."""
    sticks = "one row of one stick" if rows == 1 else f"rows of 1 to {rows} sticks"
    return {"stack": f"stack table: {stacks} stacks, {cards} cards a lane, rule {rule}",
            "sticks": f"stick table: {sticks}",
            "hands": f"hand table: {game}, {CLUSTERS[game]} x {CLUSTERS[game]} clusters"}[family]


def identity_text(manifest, unit_entries):
    """What fixes the shards of the job that makes a table in units of so many entries."""
    sections, compression = manifest["sections"], manifest["compression"]
    listed = "".join(f"{section['name']} {section['entries']}\n" for section in sections)
    columns = " ".join(f"{column['name']}:{column['entry']}" for column in manifest["columns"])
    return (f"job-format 1\ntable {name(**manifest['table'])}\nrules {manifest['rule']}\n"
            f"columns {columns}\nsections {len(sections)} {digest(listed.encode())}\n"
            f"frame-bytes {FRAME}\nzstd {compression['zstd_version']} "
            f"level {compression['zstd_level']}\nunit-entries {unit_entries}\n")


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
        for frame in (raw[start : start + FRAME] for start in range(0, len(raw), FRAME)):
            parts.append(compressor.compress(frame))
            sizes.append((len(parts[-1]), len(frame)))
    parts.append(struct.pack("<II", 0x184D2A5E, 8 * len(sizes) + 9))
    parts += [struct.pack("<II", *size) for size in sizes]
    return b"".join(parts) + struct.pack("<IBI", len(sizes), 0, 0x8F92EAB1)


def decode(data, types):
    """Header and columns of a shard whose columns have these types, checked by its digests."""
    magic, length = struct.unpack("<II", data[:8])
    require(magic == 0x184D2A50 and length <= 1 << 16, "it is no shard")
    header = json.loads(data[8 : 8 + length])
    # Skippable frames, and so the header and the seek table, are passed over.
    with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as reader:
        raw = reader.read()
    columns = []
    for kind, found in zip(types, header["columns"], strict=True):
        size = header["entries"] * TYPES[kind].itemsize
        require(digest(raw[:size]) == found, "the values have another digest")
        columns.append(numpy.frombuffer(raw[:size], TYPES[kind]))
        raw = raw[size:]
    return header, columns
