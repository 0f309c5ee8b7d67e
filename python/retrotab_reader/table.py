"""Folders, manifests and data files: sections 1 to 4 and 8 of docs/format.md."""

import bisect
import hashlib
import json
import pathlib
import struct

import numpy
import zstandard

FRAME = 256 * 1024
MOST_STORED = 263_232
MOST_MANIFEST = 16 << 20
TYPES = {"u8": numpy.dtype("u1"), "u16": numpy.dtype("<u2"), "u32": numpy.dtype("<u4")}


class BadTable(Exception):
    """A folder that holds no table, or a damaged one."""


def require(condition, what):
    if not condition:
        raise BadTable(what)


class Table:
    """A table in a folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        with open(self.folder / "manifest.json", "rb") as file:
            text = file.read(MOST_MANIFEST + 1)
        require(len(text) <= MOST_MANIFEST, "the manifest is too long")
        self.manifest = json.loads(text)
        require(self.manifest.get("format") == "retrotab-table", "not a retrotab table")
        version = self.manifest["version"]
        require(version.split(".")[0] == "1", f"version {version} is not known to this reader")
        self.parameters = self.manifest["table"]
        self.entries = self.manifest["entries"]
        self.sections = self.manifest["sections"]
        check_runs(self.sections, self.entries, "sections")
        self.columns = [Column(self, found) for found in self.manifest["columns"]]

    def column(self, name):
        """A column by its name."""
        return next(column for column in self.columns if column.name == name)

    def check_files(self):
        """Compares every data file with its SHA-256 in the manifest."""
        for column in self.columns:
            for data in column.files:
                with open(data.path, "rb") as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()
                require(found == data.about["sha256"], f"{data.path}: its SHA-256 is another")


class Column:
    """A value for each entry."""

    def __init__(self, table, about):
        self.name = about["name"]
        self.dtype = TYPES[about["entry"]]
        self.entries = table.entries
        check_runs(about["files"], table.entries, "files")
        self.firsts = [section["first_entry"] for section in table.sections]
        # By section: the number of its first frame; and the number of frames at the end.
        self.first_frames = [0]
        sizes = []
        for section in table.sections:
            left = section["entries"] * self.dtype.itemsize
            while left > 0:
                sizes.append(min(left, FRAME))
                left -= sizes[-1]
            self.first_frames.append(len(sizes))
        self.files = []
        for found in about["files"]:
            self.files.append(DataFile(table.folder, found, self.dtype, sizes))
        require(not sizes, "there are frames that are in no file")
        names = [file.path.name for file in self.files]
        require(len(set(names)) == len(names), "two data files have one name")

    def place(self, entry):
        """The frame that holds an entry's value, and the value's number in it."""
        if not 0 <= entry < self.entries:
            raise IndexError(f"entry {entry} of {self.entries}")
        section = bisect.bisect_right(self.firsts, entry) - 1
        offset = (entry - self.firsts[section]) * self.dtype.itemsize
        frame, inside = divmod(offset, FRAME)
        return self.first_frames[section] + frame, inside // self.dtype.itemsize

    def __getitem__(self, entry):
        """The value of an entry: reads and decodes one frame."""
        frame, inside = self.place(entry)
        for file in self.files:
            if frame < len(file.frames):
                return int(file.frame(frame)[inside])
            frame -= len(file.frames)
        raise BadTable("a frame is in no file")

    def frames(self):
        """The values, frame after frame."""
        for file in self.files:
            for frame in range(len(file.frames)):
                yield file.frame(frame)

    def values(self):
        """All values in one array."""
        values = numpy.empty(self.entries, self.dtype)
        done = 0
        for frame in self.frames():
            values[done : done + len(frame)] = frame
            done += len(frame)
        return values


class DataFile:
    """A data file."""

    def __init__(self, folder, about, dtype, sizes):
        """Takes the raw sizes of its frames from the front of `sizes`."""
        name = about["name"]
        require("/" not in name and name not in ("", ".", ".."), f"a file named {name!r}")
        self.path = folder / name
        self.about = about
        self.dtype = dtype
        raw = 0
        count = 0
        while raw < about["raw_bytes"] and count < len(sizes):
            raw += sizes[count]
            count += 1
        expected = about["entries"] * dtype.itemsize
        require(raw == about["raw_bytes"] == expected, f"{self.path}: frames do not fill it")
        self.read_seek_table(sizes[:count])
        del sizes[:count]

    def read_seek_table(self, sizes):
        """Finds out where each frame is: `frames` lists start, stored bytes, raw bytes."""
        length = self.path.stat().st_size
        require(length == self.about["bytes"], f"{self.path}: it has {length} bytes")
        table = 8 * len(sizes) + 17
        require(length >= table, f"{self.path}: too short")
        with open(self.path, "rb") as file:
            file.seek(length - table)
            data = file.read(table)
        head = struct.pack("<II", 0x184D2A5E, table - 8)
        tail = struct.pack("<IBI", len(sizes), 0, 0x8F92EAB1)
        require(data[:8] == head and data[-9:] == tail, f"{self.path}: no seek table")
        self.frames = []
        start = 0
        for raw, (stored, claimed) in zip(sizes, struct.iter_unpack("<II", data[8:-9])):
            require(claimed == raw and stored <= MOST_STORED, f"{self.path}: bad seek table")
            self.frames.append((start, stored, raw))
            start += stored
        require(start == length - table, f"{self.path}: bad seek table")

    def frame(self, number):
        """The values of a frame."""
        start, stored, raw = self.frames[number]
        with open(self.path, "rb") as file:
            file.seek(start)
            data = file.read(stored)
        parameters = zstandard.get_frame_parameters(data)
        fits = parameters.content_size == raw and parameters.has_checksum
        require(fits, f"{self.path}: frame {number} is another")
        try:
            decoded = zstandard.ZstdDecompressor().decompress(data, max_output_size=raw)
        except zstandard.ZstdError as error:
            raise BadTable(f"{self.path}: frame {number}: {error}") from None
        require(len(decoded) == raw, f"{self.path}: frame {number} has {len(decoded)} bytes")
        return numpy.frombuffer(decoded, self.dtype)


def check_runs(runs, entries, what):
    """Runs of entries must stand side by side and be all entries."""
    next_entry = 0
    for run in runs:
        fits = run["first_entry"] == next_entry and run["entries"] > 0
        require(fits, f"{what} do not stand side by side")
        next_entry += run["entries"]
    require(next_entry == entries, f"{what} are not the whole table")
