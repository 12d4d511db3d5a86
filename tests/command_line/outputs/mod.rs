//! What programs read: formats, schemas, and the commands that answer line by line.

mod agent;
mod batch;
mod diff;
mod evaluation;
mod formats;
mod schemas;
