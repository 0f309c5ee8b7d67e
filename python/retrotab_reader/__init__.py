"""Reads retrotab tables; written from docs/format.md alone.

    import retrotab_reader
    table = retrotab_reader.open_table("tables/stack3")
    table.probe("....", "....")
    table.column("value").values()   # a numpy array of all values, in order of entries
"""

from . import hands, stack, sticks
from .table import BadTable, Column, Table

__all__ = ["BadTable", "Column", "Table", "open_table"]

FAMILIES = {"hands": hands.HandTable, "stack": stack.StackTable, "sticks": sticks.StickTable}


def open_table(folder):
    """Opens a table in a folder, as the class of its family."""
    table = Table(folder)
    family = FAMILIES.get(table.parameters.get("family"))
    if family is None:
        raise BadTable(f"{folder}: no family that this reader knows: {table.parameters}")
    return family(folder)
