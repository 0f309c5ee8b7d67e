"""The program that is deployed, and the files that deploy it."""

import functools
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
RETROTAB = os.environ["RETROTAB"]


def run(*command, **options):
    """Runs a command and returns what it did and said."""
    command = [str(part) for part in command]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def assert_accepted(test, arguments):
    """The program understands the arguments: names of options, and values by their form.

    `--help` at the end keeps it from doing anything, and is only met if all before is right.
    """
    done = run(RETROTAB, *arguments, "--help", env={"PATH": os.environ["PATH"]})
    test.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")


@functools.cache
def help_of(*subcommand):
    """What a subcommand says about itself; nothing if there is none."""
    done = run(RETROTAB, *subcommand, "--help")
    return done.stdout if done.returncode == 0 else ""


def logical_lines(text):
    """Lines as a shell sees them: without the breaks that a backslash hides."""
    return text.replace("\\\n", " ").splitlines()


# The program as people and scripts call it, its subcommand, and what follows.
CALL = re.compile(r"""(?:\$retrotab|\$\{RETROTAB:-retrotab\}|\bretrotab)"?\s+([a-z]+)(.*)""")
SUBCOMMANDS = {"coordinator", "worker", "submit", "status", "cancel", "token", "certs", "run",
               "info", "verify", "probe"}


def calls(text):
    """Every call of the program in a script or a document: subcommand and long options."""
    for line in logical_lines(text):
        for subcommand, rest in CALL.findall(line):
            if subcommand in SUBCOMMANDS:
                yield subcommand, re.findall(r"(?<![\w-])--[a-z][a-z-]+", rest)
