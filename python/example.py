#!/usr/bin/env python3
"""Looks into a retrotab table without retrotab.

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python example.py TABLE                        says what the table is
    venv/bin/python example.py TABLE POSITION...            looks a position up
    venv/bin/python example.py TABLE --parquet FILE         writes the columns, frame by frame

A position is two lanes like `..1.0 .2.`, the lengths of segments like `1 2 3`, or two hands like
`AsKs 2d2c`.
"""

import argparse

import numpy
import pyarrow
import pyarrow.parquet

import retrotab_reader


def describe(table):
    print(table.parameters)
    print(f"{table.entries} entries in {len(table.sections)} sections")
    for column in table.columns:
        total = sum(int(values.sum(dtype=numpy.uint64)) for values in column.frames())
        print(f"column {column.name}: {column.dtype}, mean {total / table.entries:.6f}")


def write_parquet(table, path):
    """Frames of different columns end at different entries, so runs are put together anew."""
    schema = pyarrow.schema(
        [(column.name, pyarrow.from_numpy_dtype(column.dtype)) for column in table.columns]
    )
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        frames = [column.frames() for column in table.columns]
        waiting = [numpy.empty(0, column.dtype) for column in table.columns]
        done = 0
        while done < table.entries:
            for i, values in enumerate(waiting):
                if len(values) == 0:
                    waiting[i] = next(frames[i])
            run = min(map(len, waiting))
            arrays = [pyarrow.array(values[:run]) for values in waiting]
            writer.write_table(pyarrow.table(arrays, schema=schema))
            waiting = [values[run:] for values in waiting]
            done += run


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("table")
    parser.add_argument("position", nargs="*")
    parser.add_argument("--parquet", metavar="FILE")
    args = parser.parse_args()
    table = retrotab_reader.open_table(args.table)
    if args.parquet:
        write_parquet(table, args.parquet)
    elif args.position:
        print(table.probe(*args.position))
    else:
        describe(table)


if __name__ == "__main__":
    main()
