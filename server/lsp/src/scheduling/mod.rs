//! Who does what when: the queue of events, the order of arrival, and the pool of workers.

pub(super) mod event_queue;
pub(super) mod order;
pub(super) mod turn;
pub(super) mod work;
