//! The commonest lines of debug sections: one byte each.
//!
//! A module with debug information has hundreds of thousands of them. Eight bytes of text are tested at once and without branches on their digits,
//! which no processor predicts.

/// What such a line begins with.
const TYPE: u32 = u32::from_le_bytes(*b".b8 ");

/// The length of the lines at the beginning of a text that compilers write for bytes: `.b8`, a space, a decimal number up to 255 without leading
/// zeros, and a line feed. A line that ends less than three bytes before the end of the text may be left out.
pub fn byte_lines(text: &[u8]) -> usize {
    let mut end = 0;
    while let Some(length) = text.get(end..).and_then(<[u8]>::first_chunk).and_then(|line| byte_line(*line)) {
        end += length;
    }
    end
}

/// The length of a line, given as much of it and of what follows as the longest has.
fn byte_line(line: [u8; 8]) -> Option<usize> {
    const ONES: u32 = 0x0101_0101;
    const ZEROS: u32 = u32::from_le_bytes(*b"0000");
    let line = u64::from_le_bytes(line);
    let (ty, number) = (line as u32, (line >> 32) as u32);
    let differs = number ^ (ONES * b'\n' as u32);
    // The lowest bit that is set is in the first line feed.
    let line_feed = differs.wrapping_sub(ONES) & !differs & (ONES << 7);
    let digits = line_feed.trailing_zeros() / 8;
    if ty != TYPE || !(1..=3).contains(&digits) {
        return None;
    }
    // Four digits: zeros, then those of the number.
    let padded = number << (32 - 8 * digits) | ZEROS >> (8 * digits);
    let values = padded ^ ZEROS;
    // Adding what is missing from 10 to 128 sets the highest bit of what is no digit.
    let are_digits = (values.wrapping_add(ONES * (128 - 10)) | values) & (ONES << 7) == 0;
    let is_byte = padded.swap_bytes() <= u32::from_be_bytes(*b"0255");
    let is_short = digits == 1 || line.to_le_bytes()[4] != b'0';
    (are_digits && is_byte && is_short).then_some(digits as usize + 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_byte_are_recognized() {
        let is_line = |number: &str| byte_lines(format!(".b8 {number}\n\n\n").as_bytes()) > 0;
        for number in 0..1000 {
            assert_eq!(is_line(&number.to_string()), number <= 255, "{number}");
        }
        for number in
            ["", "00", "01", "007", "-1", "+1", "1,2", "1 ", "a", "1a", "0x1", "1U", ":", "/", "1:", "1/", "é", "\r"]
        {
            assert!(!is_line(number), "{number}");
        }
    }

    #[test]
    fn the_length_is_that_of_all_lines() {
        let text = ".b8 1\n.b8 20\n.b8 255\n.b16 1\n";
        assert_eq!(byte_lines(text.as_bytes()), text.find(".b16").unwrap());
        assert_eq!(byte_lines(b".b8 1\n.b8 2\n"), 6);
        assert_eq!(byte_lines(b"\t.b8 1\n\n\n"), 0);
        assert_eq!(byte_lines(b""), 0);
    }
}
