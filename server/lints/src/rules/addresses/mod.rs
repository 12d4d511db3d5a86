//! Rules about the addresses of accesses.

pub(crate) mod address_space;
pub(crate) mod misaligned_offset;
pub(crate) mod nc_of_written;
pub(crate) mod offset_outside;
