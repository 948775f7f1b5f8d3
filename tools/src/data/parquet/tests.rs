use std::sync::Arc;

use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    Int32Type, Int64Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use rusqlite::Connection;

use crate::data::Import;

const SCHEMA: &str = "message m {
    required int64 id;
    optional binary name (UTF8);
    optional double price;
    optional int32 since (DATE);
    optional int64 at (TIMESTAMP_MICROS);
    optional int32 cents (DECIMAL(9, 2));
    optional boolean open;
    optional int64 big (UINT_64);
    repeated int32 list;
}";

/// A file of two row groups with this compression.
fn written(compression: Compression) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .build();
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    for group in 0..2_i64 {
        let mut columns = writer.next_row_group().unwrap();
        let first = group * 2;
        macro_rules! column {
            ($kind:ty, $values:expr, $levels:expr) => {
                let mut column = columns.next_column().unwrap().unwrap();
                column
                    .typed::<$kind>()
                    .write_batch(&$values, $levels, None)
                    .unwrap();
                column.close().unwrap();
            };
        }
        column!(Int64Type, [first, first + 1], None);
        column!(ByteArrayType, [ByteArray::from("Zoë")], Some(&[1, 0]));
        column!(DoubleType, [0.1, f64::NAN], Some(&[1, 1]));
        column!(Int32Type, [19_723], Some(&[0, 1]));
        column!(Int64Type, [1_706_659_199_500_000, 0], Some(&[1, 1]));
        column!(Int32Type, [1_250, -5], Some(&[1, 1]));
        column!(BoolType, [true, false], Some(&[1, 1]));
        column!(Int64Type, [-1], Some(&[1, 0]));
        let mut column = columns.next_column().unwrap().unwrap();
        let levels = [1, 1, 0];
        column
            .typed::<Int32Type>()
            .write_batch(&[7, 8], Some(&levels), Some(&[0, 1, 0]))
            .unwrap();
        column.close().unwrap();
        columns.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

/// The table and its description, or the error.
fn imported(bytes: Vec<u8>) -> String {
    let mut connection = Connection::open_in_memory().unwrap();
    match Import::new("x.parquet", Arc::new(bytes)).run(&mut connection, "t") {
        Ok(description) => {
            let mut select = connection.prepare("SELECT * FROM t").unwrap();
            let width = select.column_count();
            let rows = select.query_map([], |row| {
                let cells = (0..width).map(|place| {
                    let value: rusqlite::types::Value = row.get(place).unwrap();
                    format!("{value:?}")
                });
                Ok(cells.collect::<Vec<_>>().join(" "))
            });
            let rows: Vec<String> = rows.unwrap().map(Result::unwrap).collect();
            let kinds = description
                .columns
                .iter()
                .map(|column| format!("{}:{}", column.name, column.kind));
            let kinds: Vec<String> = kinds.collect();
            format!(
                "{}\n{}\n{:?}",
                kinds.join(" "),
                rows.join("\n"),
                description.notes
            )
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn values_come_as_they_are_whatever_the_compression() {
    let expected = concat!(
        "id:integer name:text price:real since:date at:timestamp cents:real open:boolean big:text list:text\n",
        "Integer(0) Text(\"Zoë\") Real(0.1) Null Text(\"2024-01-30 23:59:59.5\") Real(12.5) Integer(1) ",
        "Text(\"18446744073709551615\") Text(\"[7,8]\")\n",
        "Integer(1) Null Null Text(\"2024-01-01\") Text(\"1970-01-01 00:00:00\") Real(-0.05) Integer(0) Null Text(\"[]\")\n",
        "Integer(2) Text(\"Zoë\") Real(0.1) Null Text(\"2024-01-30 23:59:59.5\") Real(12.5) Integer(1) ",
        "Text(\"18446744073709551615\") Text(\"[7,8]\")\n",
        "Integer(3) Null Null Text(\"2024-01-01\") Text(\"1970-01-01 00:00:00\") Real(-0.05) Integer(0) Null Text(\"[]\")\n",
        "[\"2 cells that are no number (NaN) are empty\"]"
    );
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
    ] {
        assert_eq!(imported(written(compression)), expected, "{compression}");
    }
}

#[test]
fn cuts_are_told_and_changed_bytes_are_survived() {
    let whole = written(Compression::GZIP(GzipLevel::default()));
    for length in (4..whole.len()).step_by(13) {
        let error = imported(whole.get(..length).unwrap().to_vec());
        assert!(
            error.starts_with("this Parquet file cannot be read: "),
            "{length}: {error}"
        );
    }
    for (place, mask) in (4..whole.len())
        .step_by(7)
        .zip([0xff, 0x80, 0x01].into_iter().cycle())
    {
        let mut bytes = whole.clone();
        *bytes.get_mut(place).unwrap() ^= mask;
        imported(bytes);
    }
}

/// A file with one column.
fn one_column(
    schema: &str,
    write: impl FnOnce(&mut parquet::file::writer::SerializedColumnWriter<'_>),
) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    let mut columns = writer.next_row_group().unwrap();
    let mut column = columns.next_column().unwrap().unwrap();
    write(&mut column);
    column.close().unwrap();
    columns.close().unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn bombs_and_unknown_types_are_refused_before_they_are_read() {
    let interval = one_column(
        "message m { required fixed_len_byte_array(12) i (INTERVAL); }",
        |column| {
            let values = [FixedLenByteArray::from(vec![0; 12])];
            column
                .typed::<FixedLenByteArrayType>()
                .write_batch(&values, None, None)
                .unwrap();
        },
    );
    assert_eq!(
        imported(interval),
        "this Parquet file cannot be read: it has a column of the type INTERVAL, which is not read here"
    );
    let large = "x".repeat(super::bounds::PAGE_MAX + 1);
    let large = one_column("message m { required binary s (UTF8); }", |column| {
        let values = [ByteArray::from(large.as_str())];
        column
            .typed::<ByteArrayType>()
            .write_batch(&values, None, None)
            .unwrap();
    });
    assert_eq!(
        imported(large),
        "this Parquet file cannot be read: one of its pages has more than 67108864 bytes"
    );
    let opened = "optional group g { ".repeat(20);
    let closed = "} ".repeat(20);
    let deep = one_column(
        &format!("message m {{ {opened} required int32 i; {closed} }}"),
        |column| {
            column
                .typed::<Int32Type>()
                .write_batch(&[1], Some(&[20]), None)
                .unwrap();
        },
    );
    assert_eq!(
        imported(deep),
        "this Parquet file cannot be read: its columns are nested more than 16 deep"
    );
}

#[test]
fn rows_without_end_from_few_bytes_meet_a_bound() {
    let bytes = one_column("message m { required boolean b; }", |column| {
        column
            .typed::<BoolType>()
            .write_batch(&[true; 10_000], None, None)
            .unwrap();
    });
    let import = Import {
        limits: crate::data::Limits {
            rows: 9_999,
            ..crate::data::Limits::STANDARD
        },
        ..Import::new("x", Arc::new(bytes))
    };
    let mut connection = Connection::open_in_memory().unwrap();
    let error = import.run(&mut connection, "t").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the file has more than 9999 rows: split it, or leave some of it out"
    );
}
