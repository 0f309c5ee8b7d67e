"""What is deployed on hosts: image, compose file, units, scripts; and the document."""

import pathlib
import re
import shlex
import tempfile
import unittest

import yaml

from program import DEPLOY, RETROTAB, ROOT, assert_accepted, calls, help_of, run

SCRIPTS = [path for folder in [DEPLOY / "slurm", ROOT / "scripts"] for path in folder.iterdir()]
PATH = "/usr/local/bin/retrotab"


class Image(unittest.TestCase):
    text = (DEPLOY / "Dockerfile").read_text()

    def test_the_linter_finds_nothing(self):
        done = run("hadolint", DEPLOY / "Dockerfile")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_it_is_built_with_the_compiler_of_the_project(self):
        channel = re.search(r'channel = "(.*)"', (ROOT / "rust-toolchain.toml").read_text())[1]
        self.assertIn(f"FROM rust:{channel}-", self.text)
        self.assertIn(f"RUSTUP_TOOLCHAIN={channel}\n", self.text)

    def test_the_program_runs_without_rights(self):
        last = self.text.split("FROM ")[-1]
        self.assertRegex(last, r"\nUSER 65532:65532\n")
        self.assertIn(f'ENTRYPOINT ["{PATH}"]', last)


class Compose(unittest.TestCase):
    file = yaml.safe_load((DEPLOY / "compose/compose.yaml").read_text())

    def expand(self, text):
        """Variables by their defaults, as if none were set."""
        return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", str(text))

    def test_the_program_understands_its_arguments(self):
        for service in self.file["services"].values():
            assert_accepted(self, [self.expand(argument) for argument in service["command"]])

    def test_the_health_check_is_a_call_of_the_program(self):
        kind, program, *arguments = self.file["services"]["coordinator"]["healthcheck"]["test"]
        self.assertEqual((kind, program), ("CMD", PATH))
        assert_accepted(self, arguments)

    def test_what_is_named_exists(self):
        for service in self.file["services"].values():
            for volume in service["volumes"]:
                self.assertIn(volume.split(":")[0], self.file["volumes"])
            for secret in service["secrets"]:
                self.assertIn(secret, self.file["secrets"])
                self.assertEqual(
                    service["environment"]["RETROTAB_TOKEN_FILE"], f"/run/secrets/{secret}")
            for network in service["networks"]:
                self.assertIn(network, self.file["networks"])
            self.assertTrue(service["read_only"])
            self.assertEqual(service["cap_drop"], ["ALL"])

    def test_ports_are_for_this_machine_alone(self):
        for port in self.file["services"]["coordinator"]["ports"]:
            self.assertRegex(port, r"^127\.0\.0\.1:")

    def test_memory_is_within_the_limit(self):
        worker = self.file["services"]["worker"]
        self.assertIn("--memory=3GiB", map(self.expand, worker["command"]))
        self.assertEqual(self.expand(worker["mem_limit"]), "4g")


class Units(unittest.TestCase):
    files = sorted((DEPLOY / "systemd").glob("*.service"))

    def command(self, unit):
        """The command of a unit with its variables as in the files beside it."""
        text = unit.read_text().replace("%i", "1")
        command = re.search(r"^ExecStart=(.*)$", text, re.M)[1]
        variables = {"CREDENTIALS_DIRECTORY": "/run/credentials"}
        name = "worker" if "worker" in unit.name else "coordinator"
        for line in (DEPLOY / f"systemd/{name}.env").read_text().splitlines():
            if not line.startswith("#"):
                key, value = line.split("=", 1)
                variables[key] = value
        replaced = re.sub(r"\$\{?(\w+)\}?", lambda found: variables[found[1]], command)
        return shlex.split(replaced), variables

    def test_the_program_understands_its_arguments(self):
        for unit in self.files:
            with self.subTest(unit=unit.name):
                (program, *arguments), _ = self.command(unit)
                self.assertEqual(program, PATH)
                assert_accepted(self, arguments)

    def test_systemd_understands_and_approves_the_units(self):
        with tempfile.TemporaryDirectory() as folder:
            units = []
            for unit in self.files:
                # Units are checked with a program that is there.
                copy = pathlib.Path(folder, unit.name.replace("@", "@1"))
                copy.write_text(unit.read_text().replace(PATH, RETROTAB))
                units.append(copy)
            verified = run("systemd-analyze", "verify", "--man=no", *units)
            self.assertEqual((verified.returncode, verified.stderr), (0, ""))
            for unit in units:
                # Tenths of its points: 10.0 is no protection, 0.0 the most.
                done = run("systemd-analyze", "security", "--offline=true", "--threshold=20", unit)
                self.assertEqual(done.returncode, 0, done.stdout[-300:])


class Scripts(unittest.TestCase):
    def test_shellcheck_finds_nothing(self):
        scripts = [path for path in SCRIPTS if path.read_bytes().startswith(b"#!/usr/bin/env bash")]
        self.assertGreater(len(scripts), 5)
        done = run("shellcheck", *scripts)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_options_in_scripts_and_documents_exist(self):
        seen = 0
        texts = [*SCRIPTS, *DEPLOY.glob("*.md"), *DEPLOY.rglob("*.yaml"), *DEPLOY.rglob("*.service")]
        for path in texts:
            for subcommand, options in calls(path.read_text()):
                families = [["stack"]] if subcommand in ("run", "submit") else [[]]
                known = "".join(help_of(subcommand, *family) for family in families)
                with self.subTest(file=str(path.relative_to(ROOT)), subcommand=subcommand):
                    self.assertTrue(known, f"there is no `retrotab {subcommand}`")
                    for option in options:
                        self.assertRegex(known, rf"{option}(?![\w-])")
                        seen += 1
        self.assertGreater(seen, 20)


if __name__ == "__main__":
    unittest.main()
