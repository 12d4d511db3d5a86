//! The manual: what its pages print, and what a mistake is answered with.

mod argument_messages;
mod documents;
mod explain;
mod walkthroughs;
mod what_can_go_wrong;
