#!/usr/bin/env python3
"""A worker that was written from docs/protocol.md does a whole job for the program's coordinator.

It takes the values from a finished table, for solving is not what the page is about.

Usage: test_protocol.py PROGRAM
"""

import importlib
import ipaddress
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import blake3
import grpc
import grpc_tools.protoc

import retrotab_reader
from retrotab_reader import shard

PROTO = pathlib.Path(__file__).resolve().parent.parent / "proto"
TOKEN = "a-token-of-the-test"
TABLE = ["stack", "--stacks", "3", "--cards", "8", "--unit-size", "256KiB"]
# Every process has a host of its own.
HOST = ipaddress.IPv4Address("127.64.0.0") + (os.getpid() & 0x3FFFFF)
CHUNK = 1 << 20


def chunks(header, data, size=CHUNK):
    yield pb.SubmitShardChunk(header=header)
    for start in range(0, len(data), size):
        yield pb.SubmitShardChunk(data=data[start : start + size])


class Worker(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "token").write_text(TOKEN)
        (self.folder / "token").chmod(0o600)
        self.start()
        self.addCleanup(self.kill)

    def start(self):
        command = [PROGRAM, "coordinator", "--data", self.folder / "data", "--listen", f"{HOST}:7420",
                   "--http", f"{HOST}:7421", "--token-file", self.folder / "token"]
        self.coordinator = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self.channel = grpc.insecure_channel(f"{HOST}:7420")
        grpc.channel_ready_future(self.channel).result(timeout=240)
        self.stub = stubs.CoordinatorStub(self.channel)

    def kill(self):
        self.coordinator.kill()
        self.coordinator.wait()
        self.channel.close()

    def call(self, method, request, token=TOKEN):
        return getattr(self.stub, method)(request, metadata=[("authorization", f"Bearer {token}")])

    def refused(self, code, method, request, **how):
        with self.assertRaises(grpc.RpcError) as raised:
            answer = self.call(method, request, **how)
            list(answer if method == "FetchShard" else [])
        self.assertEqual(raised.exception.code().name, code, raised.exception)

    def register(self, version=1):
        me = pb.RegisterRequest(protocol_version=version, host="python", name="test", threads=1)
        return self.call("Register", me).worker

    def shard_of(self, grant, job):
        """The bytes of the unit's shard, out of the finished table."""
        manifest = self.table.manifest
        text = shard.identity_text(manifest, job.unit_entries)
        self.assertEqual(text, job.identity_text)
        self.assertEqual(json.loads(job.table), manifest["table"])
        self.assertEqual(blake3.blake3(text.encode()).digest(), grant.job_digest)
        place = list(shard.units(manifest, job.unit_entries))[grant.unit.unit]
        self.assertEqual(place, (grant.unit.section, grant.unit.first, grant.unit.entries))
        start = self.table.sections[place[0]]["first_entry"] + place[1]
        columns = [column.values()[start : start + place[2]] for column in self.table.columns]
        return shard.encode(grant.job_digest.hex(), grant.unit.unit, place, columns)

    def header(self, worker, grant, data, **other):
        digest = pb.ShardDigest(blake3=blake3.blake3(data).digest(), length=len(data))
        fields = {"worker": worker, "job_digest": grant.job_digest, "lease": grant.lease,
                  "unit": grant.unit.unit, "digest": digest}
        return pb.SubmitHeader(**{**fields, **other})

    def test_a_whole_job(self):
        subprocess.check_call([PROGRAM, "run", *TABLE, "--out", self.folder / "table"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.table = retrotab_reader.open_table(self.folder / "table")
        subprocess.check_call([PROGRAM, "submit", *TABLE, "--coordinator", f"http://{HOST}:7420",
                               "--token-file", self.folder / "token"], stdout=subprocess.DEVNULL)
        worker, jobs, units = self.register(), {}, 0
        while True:
            answer = self.call("Lease", pb.LeaseRequest(worker=worker, known_jobs=list(jobs)))
            if answer.HasField("idle"):
                job = self.call("ListJobs", pb.ListJobsRequest()).jobs[0]
                self.assertIn(job.phase, (pb.JOB_PHASE_RUNNING, pb.JOB_PHASE_MERGING,
                                          pb.JOB_PHASE_FINISHED), job.message)
                if job.phase == pb.JOB_PHASE_FINISHED:
                    break
                time.sleep(answer.idle.retry_millis / 1000)
                continue
            grant = answer.grant
            jobs.setdefault(grant.job_digest, grant.job)
            data = self.shard_of(grant, jobs[grant.job_digest])
            if units == 3:
                self.refusals(worker, grant, data)
                worker = self.restart(worker, grant, data)
            self.call("SubmitShard", chunks(self.header(worker, grant, data), data))
            units += 1
        self.assertEqual(job.identity, self.table.manifest["identity"])
        self.assertEqual(units, job.units)
        self.call("Deregister", pb.DeregisterRequest(worker=worker))

    def restart(self, worker, grant, data):
        """The coordinator is killed; the worker registers again and reclaims its unit."""
        self.kill()
        self.start()
        self.refused("NOT_FOUND", "SubmitShard", chunks(self.header(worker, grant, data), data))
        self.refused("NOT_FOUND", "Heartbeat", pb.HeartbeatRequest(worker=worker))
        worker = self.register()
        self.refused("NOT_FOUND", "SubmitShard", chunks(self.header(worker, grant, data), data))
        request = pb.ReclaimRequest(worker=worker, job_digest=grant.job_digest,
                                    unit=grant.unit.unit)
        grant.lease = self.call("Reclaim", request).lease
        return worker

    def refusals(self, worker, grant, data):
        """What section 7 says of errors, and section 2 of fetching."""
        self.refused("UNAUTHENTICATED", "ListJobs", pb.ListJobsRequest(), token=TOKEN + "x")
        for version in (0, 2):
            with self.assertRaisesRegex(grpc.RpcError, "FAILED_PRECONDITION"):
                self.register(version)
        submissions = [
            ("INVALID_ARGUMENT", {"unit": grant.unit.unit + 1}, data, CHUNK),
            ("NOT_FOUND", {"lease": grant.lease + 99}, data, CHUNK),
            ("NOT_FOUND", {"job_digest": b"x" * 32}, data, CHUNK),
            ("ABORTED", {}, data[:-1], CHUNK),
            ("RESOURCE_EXHAUSTED", {}, data + b"x", CHUNK),
            ("RESOURCE_EXHAUSTED", {}, bytes(2 * CHUNK), 2 * CHUNK),
            ("OUT_OF_RANGE", {}, bytes(5 * CHUNK), 5 * CHUNK),
        ]
        for code, other, sent, size in submissions:
            header = self.header(worker, grant, data, **other)
            self.refused(code, "SubmitShard", chunks(header, sent, size))
        job = {"job_digest": grant.job_digest}
        many = pb.LocateShardsRequest(units=range(4097), **job)
        self.refused("INVALID_ARGUMENT", "LocateShards", many)
        located = self.call("LocateShards", pb.LocateShardsRequest(units=[0, 40], **job)).shards
        self.assertEqual([found.HasField("digest") for found in located], [True, False])
        self.refused("NOT_FOUND", "FetchShard", pb.FetchShardRequest(unit=40, **job))
        whole = list(self.call("FetchShard", pb.FetchShardRequest(unit=0, **job)))
        self.assertEqual(whole[0].digest, located[0].digest)
        fetched = b"".join(chunk.data for chunk in whole)
        self.assertEqual(blake3.blake3(fetched).digest(), located[0].digest.blake3)
        rest = pb.FetchShardRequest(unit=0, offset=len(fetched), **job)
        self.assertEqual([chunk.digest for chunk in self.call("FetchShard", rest)],
                         [located[0].digest])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as generated:
        made = grpc_tools.protoc.main(["protoc", f"-I{PROTO}", f"--python_out={generated}",
                                       f"--grpc_python_out={generated}", "retrotab.proto"])
        assert made == 0, "proto/retrotab.proto cannot be compiled"
        sys.path.insert(0, generated)
        pb = importlib.import_module("retrotab_pb2")
        stubs = importlib.import_module("retrotab_pb2_grpc")
        unittest.main(verbosity=2)
