//! Memory as the protocol refers to it: `global:0x70000000`, `shared:CTA:0x10`, `local:CTA:THREAD:0x0`.

use machine::ObservedMemory;
use program::ThreadId;

/// The text of a byte of memory.
pub fn memory_reference(memory: ObservedMemory) -> String {
    match memory {
        ObservedMemory::Global(address) => format!("global:{address:#x}"),
        ObservedMemory::Shared { cta, offset } => format!("shared:{cta}:{offset:#x}"),
        ObservedMemory::Local { thread: ThreadId { cta, thread }, offset } => {
            format!("local:{cta}:{thread}:{offset:#x}")
        }
    }
}

/// Its address or offset.
pub fn address_of(memory: ObservedMemory) -> u64 {
    match memory {
        ObservedMemory::Global(address) => address,
        ObservedMemory::Shared { offset, .. } | ObservedMemory::Local { offset, .. } => offset,
    }
}

/// The byte that a text refers to; an address without a space is in global memory.
pub fn parse_reference(text: &str) -> Option<ObservedMemory> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let parts: Vec<&str> = text.split(':').collect();
    match *parts {
        [address] | ["global", address] => Some(ObservedMemory::Global(number(address)?)),
        ["shared", cta, offset] => Some(ObservedMemory::Shared { cta: cta.parse().ok()?, offset: number(offset)? }),
        ["local", cta, thread, offset] => {
            let thread = ThreadId { cta: cta.parse().ok()?, thread: thread.parse().ok()? };
            Some(ObservedMemory::Local { thread, offset: number(offset)? })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_back() {
        let thread = ThreadId { cta: 3, thread: 40 };
        for memory in [
            ObservedMemory::Global(0x7000_0000_0010),
            ObservedMemory::Shared { cta: 2, offset: 16 },
            ObservedMemory::Local { thread, offset: 8 },
        ] {
            assert_eq!(parse_reference(&memory_reference(memory)), Some(memory));
        }
        assert_eq!(parse_reference("0x10"), Some(ObservedMemory::Global(16)));
        assert!(
            ["", "x", "shared:0x10", "global:", "shared:1:2:3:4"].iter().all(|text| parse_reference(text).is_none())
        );
    }
}
