//! Sessions over stdio with the real binary.

mod client;
mod model;
mod modules;

mod capabilities;
mod features;
mod garbage;
mod hosts;
mod lifecycle;
mod litmus;
mod order;
mod positions;
mod same;
mod session;
mod settings;
mod soak;
mod trace;
mod traps;
mod validated;
mod workspace;
