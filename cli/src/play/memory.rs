//! How much memory is left.

/// Bytes that programs can still take without swapping, where the system tells (Linux).
pub fn available() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

/// `MemAvailable` of proc(5).
fn parse(meminfo: &str) -> Option<u64> {
    let value = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_available_memory_is_read() {
        let text = "MemTotal:       24689472 kB\nMemFree:         8155512 kB\n\
                    MemAvailable:   23068672 kB\nBuffers:          123456 kB\n";
        assert_eq!(parse(text), Some(22 << 30));
        assert_eq!(parse("MemTotal:       24689472 kB\n"), None);
        assert_eq!(parse("MemAvailable:   much kB\n"), None);
    }
}
