//! Laws that hold for every file.
