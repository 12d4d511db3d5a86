//! Hover on the launches of comments.

use super::Hover;
use diagnostics::{Context, Snapshot};
use evaluation::launches::launch_summary;

/// What the launch at an offset computes.
pub(super) fn launch_hover(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let module = Context::new(snapshot).module;
    let (range, markdown) = launch_summary(snapshot.file.as_ref(), module, offset)?;
    Some(Hover::new(range, markdown))
}

#[cfg(test)]
mod tests {
    use crate::Text;
    use diagnostics::Settings;
    use hosts::Language;

    const MODULE: &str = "\n.visible .entry count(.param .u64 hist)\n{\n.reg .u64 %rd<2>;\nld.param.u64 %rd1, [hist];\n\
                          red.global.add.u32 [%rd1], 1;\nret;\n}\n";

    fn text(comments: &str) -> String {
        format!(".version 8.0\n.target sm_90\n.address_size 64\n{comments}{MODULE}")
    }

    #[test]
    fn hover_on_a_launch_shows_memory_after_it() {
        let text = text("//! run count block 3 hist=u32[2]\n//! expect hist == 3");
        let snapshot = Text::parse(Language::Ptx, &text).under(Settings::default());
        for word in ["block 3", "hist == 3"] {
            let hover = snapshot.hover(text.find(word).expect("a word")).expect("a hover");
            assert_eq!(hover.markdown, "**count**: no problem, 9 instructions\n\n- `hist`: `u32[2]` = 3 0");
        }
    }
}
