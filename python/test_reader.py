#!/usr/bin/env python3
"""Holds the reader that was written from docs/format.md against the program's answers.

Usage: test_reader.py PROGRAM
"""

import csv
import io
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import blake3
import numpy
import pyarrow.parquet
import zstandard

import retrotab_reader
from retrotab_reader import BadTable, shard

STACKS = [(1, 6, "sorted"), (2, 5, "choice"), (3, 8, "sorted"), (4, 5, "sorted"), (5, 4, "sorted")]


def run(*arguments, given=None):
    command = [PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, input=given, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def probe(table, positions):
    """What the program says of positions, each a list of words."""
    lines = "".join(" ".join(words) + "\n" for words in positions)
    said = run("probe", table, "-", "--json", given=lines)
    return [json.loads(line) for line in said.splitlines()]


def random_lane(stacks, cards, chance):
    """A lane of any form, also with cards that have been played."""
    length = chance.randint(0, cards)
    lane = "".join(chance.choice("..." + "01234"[:stacks]) for _ in range(length))
    return lane or "-"


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="retrotab-python."))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def table(self, name, *arguments):
        folder = self.folder / name
        if not folder.exists():
            kept = ["--unit-size", "256KiB", "--keep-work"]
            run("run", *arguments, "--out", folder, *kept)
        return folder, retrotab_reader.open_table(folder)

    def stack_table(self, stacks, cards, rule):
        size = ["--stacks", stacks, "--cards", cards, "--rule", rule]
        return self.table(f"stack{stacks}-{cards}", "stack", *size)

    def parquet(self, folder):
        path = self.folder / "table.parquet"
        run("export", folder, "--format", "parquet", "--out", path)
        return pyarrow.parquet.read_table(path)

    def check_container(self, folder, table):
        """Digests, the identity, single values, and the export for numpy."""
        table.check_files()
        identity = blake3.blake3()
        path = self.folder / "table.npy"
        run("export", folder, "--format", "npy", "--out", path)
        exported = numpy.load(path, mmap_mode="r")
        self.assertEqual(exported.shape, (table.entries,))
        chance = random.Random(1)
        for column in table.columns:
            values = column.values()
            identity.update(values.tobytes())
            same = exported if exported.dtype.names is None else exported[column.name]
            self.assertEqual(same.dtype, column.dtype)
            self.assertTrue((same == values).all())
            for entry in [0, table.entries - 1, *chance.choices(range(table.entries), k=200)]:
                self.assertEqual(column[entry], values[entry])
        self.assertEqual(identity.hexdigest(), table.manifest["identity"])

    def test_stack_tables(self):
        chance = random.Random(2)
        for stacks, cards, rule in STACKS:
            folder, table = self.stack_table(stacks, cards, rule)
            self.check_container(folder, table)
            lane = lambda: random_lane(stacks, cards, chance)
            positions = [(lane(), lane()) for _ in range(2000)]
            values = table.column("value").values()
            for position, found in zip(positions, probe(folder, positions), strict=True):
                entry = table.entry(*position)
                self.assertEqual(entry, found["entry"], position)
                self.assertEqual(values[entry], found["value"], position)
                self.assertEqual(entry, table.entry(*reversed(position)), position)

    def test_every_line_of_a_stack_table(self):
        for stacks, cards, rule in [(3, 5, "sorted"), (2, 6, "choice"), (4, 4, "sorted")]:
            folder, table = self.stack_table(stacks, cards, rule)
            lines = self.parquet(folder)
            values = table.column("value").values()
            self.assertTrue((lines["value"].to_numpy() == values).all())
            repeated = 0
            positions = zip(lines["lane1"].to_pylist(), lines["lane2"].to_pylist(), strict=True)
            for number, position in enumerate(positions):
                entry = table.entry(*position)
                if entry != number:
                    repeated += 1
                    self.assertEqual(values[entry], values[number])
            manifest = table.manifest
            self.assertEqual(repeated, manifest["entries"] - manifest["positions"])
            text = run("export", folder, "--format", "csv")
            listed = list(csv.DictReader(io.StringIO(text)))
            self.assertEqual([line["lane2"] for line in listed], lines["lane2"].to_pylist())
            self.assertEqual([int(line["value"]) for line in listed], values.tolist())
            for line, share in zip(listed, lines["share"].to_pylist(), strict=True):
                self.assertAlmostEqual(float(line["share"]), share, delta=1e-6)

    def test_stick_tables(self):
        for rows in (1, 4, 7):
            folder, table = self.table(f"sticks{rows}", "sticks", "--rows", rows)
            self.check_container(folder, table)
            values = table.column("moves").values()
            lines = list(csv.DictReader(io.StringIO(run("export", folder, "--format", "csv"))))
            self.assertEqual(len(lines), table.entries)
            for number, line in enumerate(lines):
                lengths = [int(word) for word in line["segments"].split() if word != "-"]
                self.assertEqual(table.entry(*lengths), number, line)
                self.assertEqual(sum(lengths), int(line["sticks"]))
                self.assertEqual(int(line["moves"]), values[number])
                self.assertEqual(line["outcome"], "loss" if values[number] % 2 else "win")
            lines = self.parquet(folder)
            self.assertTrue((lines["moves"].to_numpy() == values).all())
            self.assertEqual(lines["segments"][0].as_py(), "-")
        positions = [("1", "2", "3"), ("7",), ("6", "5", "1", "1"), ("-",)]
        for position, found in zip(positions, probe(folder, positions), strict=True):
            lengths = [word for word in position if word != "-"]
            self.assertEqual((table.entry(*lengths), table.probe(*lengths)),
                             (found["entry"], found["moves"]))
        for lengths in [(7, 7), (8,), (1,) * 30]:
            self.assertRaises(ValueError, table.entry, *lengths)

    def test_hand_tables(self):
        folder, table = self.table("holdem", "holdem")
        self.check_container(folder, table)
        names = [table.representative(cluster) for cluster in range(169)]
        pairs = [(one, other) for one in names for other in names]
        for pair, found in zip(pairs, probe(folder, pairs), strict=True):
            counts = table.probe(*pair)
            said = tuple(found[key] for key in ("wins", "ties", "losses", "placements"))
            self.assertEqual(counts, said, pair)
        lines = self.parquet(folder)
        for name in ("win", "tie", "placements"):
            self.assertTrue((lines[name].to_numpy() == table.column(name).values()).all())
        hands = zip(lines["hand1"].to_pylist(), lines["hand2"].to_pylist(), strict=True)
        self.assertEqual([table.entry(*pair) for pair in hands], list(range(table.entries)))
        self.assertEqual(table.probe("2h2d", "KcAc"), table.probe("2s2h", "AsKs"))

    def test_omaha_is_numbered_alike(self):
        clusters = retrotab_reader.hands.all_clusters(4)
        self.assertEqual(len(clusters), 16_432)
        self.assertEqual(sum(map(retrotab_reader.hands.hands, clusters)), 270_725)

    def test_shards(self):
        """Every shard, made anew from the table as docs/protocol.md says, has the same bytes."""
        tables = [self.stack_table(3, 9, "sorted"), self.table("holdem", "holdem")]
        tables += [self.table(f"sticks{rows}", "sticks", "--rows", rows) for rows in (1, 7)]
        for folder, table in tables:
            manifest = table.manifest
            types = [column["entry"] for column in manifest["columns"]]
            full = 262_144 // min(column.dtype.itemsize for column in table.columns)
            job = shard.digest(shard.identity_text(manifest, full).encode())
            values = [column.values() for column in table.columns]
            files = sorted((folder / "work" / "shards").glob("*.shard.zst"))
            units = enumerate(shard.units(manifest, full))
            for file, (unit, place) in zip(files, units, strict=True):
                start = table.sections[place[0]]["first_entry"] + place[1]
                columns = [column[start : start + place[2]] for column in values]
                header, found = shard.decode(file.read_bytes(), types)
                self.assertEqual((header["job"], header["unit"]), (job, unit))
                self.assertTrue(all(map(numpy.array_equal, found, columns)))
                version = ".".join(map(str, zstandard.ZSTD_VERSION))
                if version == manifest["compression"]["zstd_version"]:
                    self.assertEqual(shard.encode(job, unit, place, columns), file.read_bytes())

    def test_bad_input(self):
        _, table = self.stack_table(3, 5, "sorted")
        for lanes in [("......", "."), (".3", "."), ("x", ".")]:
            self.assertRaises(ValueError, table.entry, *lanes)
        self.assertRaises(IndexError, table.column("value").__getitem__, table.entries)

    def test_damaged_tables(self):
        whole, _ = self.stack_table(3, 5, "sorted")
        manifest = json.loads((whole / "manifest.json").read_text())
        data = (whole / "000.u16.zst").read_bytes()

        def changed(change, bytes_=data):
            folder = self.folder / "damaged"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(whole, folder)
            (folder / "000.u16.zst").write_bytes(bytes_)
            about = json.loads(json.dumps(manifest))
            change(about)
            (folder / "manifest.json").write_text(json.dumps(about))
            return folder

        def read(folder):
            table = retrotab_reader.open_table(folder)
            table.column("value").values()
            table.check_files()

        def set_file(key, value):
            return lambda about: about["columns"][0]["files"][0].update({key: value})

        read(changed(lambda about: None))
        for change in [
            lambda about: about.update(version="2.0"),
            lambda about: about.update(format="zip"),
            lambda about: about.update(entries=10**18),
            lambda about: about["sections"].pop(),
            lambda about: about["table"].update(family="chess"),
            set_file("name", "../000.u16.zst"),
            set_file("bytes", 5),
            set_file("raw_bytes", 1 << 60),
            set_file("sha256", "0" * 64),
        ]:
            self.assertRaises(BadTable, read, changed(change))
        for place in [10, 200, len(data) - 1, len(data) - 12]:
            flipped = bytearray(data)
            flipped[place] ^= 0x55
            self.assertRaises(BadTable, read, changed(lambda about: None, bytes(flipped)))
        self.assertRaises(BadTable, read, changed(lambda about: None, data[:-1]))

    def test_the_example(self):
        folder, table = self.table("holdem", "holdem")
        example = pathlib.Path(__file__).parent / "example.py"
        path = self.folder / "columns.parquet"
        said = subprocess.check_output([sys.executable, example, folder], text=True)
        self.assertIn("14365 entries", said)
        command = [sys.executable, example, folder, "AsKs", "2d2c"]
        self.assertIn("win=5092608", subprocess.check_output(command, text=True))
        subprocess.check_call([sys.executable, example, folder, "--parquet", path])
        lines = pyarrow.parquet.read_table(path)
        for column in table.columns:
            self.assertTrue((lines[column.name].to_numpy() == column.values()).all())


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
