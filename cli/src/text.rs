//! Numbers as people read them.

use bytesize::ByteSize;

/// Bytes in binary units: `1.5 GiB`.
pub fn bytes(bytes: u64) -> String {
    ByteSize(bytes).display().iec().to_string()
}

/// A count in groups of three digits: `780 027 792`.
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A rate per second: `52.3 M/s`.
pub fn rate(count: u64, seconds: f64) -> String {
    let rate = count as f64 / seconds.max(1e-9);
    if rate >= 1e6 { format!("{:.1} M/s", rate / 1e6) } else { format!("{rate:.0}/s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(780_027_792), "780 027 792");
        assert_eq!(bytes(1 << 30), "1.0 GiB");
        assert_eq!(rate(104_600_000, 2.0), "52.3 M/s");
    }
}
