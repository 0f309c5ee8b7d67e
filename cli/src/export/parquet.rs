//! Lines as an Apache Parquet file.

use std::io::Write;

use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::Lines;

/// Lines in a row group.
const ROW_GROUP: usize = 1 << 20;

/// Writes all lines.
pub fn write(lines: &dyn Lines, out: &mut (impl Write + Send)) -> anyhow::Result<()> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .build();
    let mut writer = ArrowWriter::try_new(out, lines.schema(), Some(properties))?;
    lines.batches(&mut |batch| Ok(writer.write(batch)?))?;
    writer.close()?;
    Ok(())
}
