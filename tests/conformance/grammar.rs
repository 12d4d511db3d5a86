//! Filled by the area that it is for.
