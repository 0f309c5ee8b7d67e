//! Workers that read and write shards in a bucket themselves.

#[allow(dead_code, reason = "each test file uses its part of it")]
mod fleet;
#[path = "../../coordinator/tests/own_address/mod.rs"]
mod own_address;
#[allow(dead_code, reason = "each test file uses its part of it")]
mod program;
#[allow(dead_code, reason = "each test file uses its part of it")]
#[path = "../../coordinator/tests/s3_server/mod.rs"]
mod s3_server;

use fleet::Fleet;
use s3_server::BUCKET;

/// How many calls of a method the coordinator has answered, by what it tells Prometheus.
fn calls(fleet: &Fleet, method: &str) -> u64 {
    let counted = format!("retrotab_grpc_requests_total{{method=\"{method}\",code=\"OK\"}} ");
    let page = fleet.page("/metrics");
    let value = page.lines().find_map(|line| line.strip_prefix(&counted));
    value.map_or(0, |value| value.parse().unwrap())
}

#[test]
fn workers_read_and_write_a_bucket_past_the_coordinator() {
    let server = s3_server::Server::start();
    let environment = server.options().environment;
    let mut fleet = Fleet::prepare();
    let store = format!("s3://{BUCKET}/shards");
    let set: Vec<_> = environment.iter().map(|(key, value)| (&key[..], &value[..])).collect();
    fleet.start_coordinator(&["--store", &store], &set);
    fleet.submit();
    for name in ["anna", "bert"] {
        let mut command = fleet.worker_command(name, &[]);
        fleet.run_worker(name, command.envs(set.iter().copied()));
    }
    fleet.finishes_undisturbed();
    // The coordinator has seen no shard but in the bucket: somebody else has put all of them
    // there, and read those that others need.
    let units = fleet.status()["units"].as_u64().unwrap();
    assert!(calls(&fleet, "SubmitStored") >= units);
    assert!(calls(&fleet, "LocateShards") > 0);
    assert_eq!((calls(&fleet, "SubmitShard"), calls(&fleet, "FetchShard")), (0, 0));
}
