//! The parameters of a kernel as its source declares them: an argument needs no type where the parameter has one.

use crate::arguments::argument_values::shape_of;

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceParameter {
    /// Its name.
    pub name: String,
    /// The type of its value, or of those that it points to, such as `f32`; `None` if it is not known.
    pub ty: Option<String>,
    /// Whether it is a pointer.
    pub is_pointer: bool,
}

impl SourceParameter {
    /// An argument with its type: `n=5` is `n=s32=5`, and `in=[8]=iota` is `in=f32[8]=iota`.
    pub(crate) fn completed(&self, spec: &str) -> Option<String> {
        let ty = self.ty.as_deref().filter(|ty| shape_of(ty).is_some())?;
        let is_number =
            spec.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c)) && !spec.contains(['=', '[']);
        match (self.is_pointer, is_number) {
            (true, _) if spec.starts_with('[') => Some(format!("{ty}{spec}")),
            (false, true) => Some(format!("{ty}={spec}")),
            _ => None,
        }
    }

    /// The bytes of a value, or of one that it points to.
    pub fn element_bytes(&self) -> Option<u32> {
        Some(shape_of(self.ty.as_deref()?)?.bytes())
    }

    /// An argument of this type, as an example.
    pub(crate) fn example(&self, elements: u64) -> Option<String> {
        self.ty.as_ref()?;
        Some(if self.is_pointer { format!("[{elements}]") } else { elements.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_takes_the_type_of_its_parameter() {
        let parameter = |is_pointer| SourceParameter { name: "p".to_owned(), ty: Some("f32".to_owned()), is_pointer };
        for (is_pointer, spec, expected) in [
            (false, "5", Some("f32=5")),
            (false, "-1.5", Some("f32=-1.5")),
            (false, "u32=5", None),
            (false, "other", None),
            (true, "[8]=1,2", Some("f32[8]=1,2")),
            (true, "[]=1,2", Some("f32[]=1,2")),
            (true, "u32[8]", None),
            (true, "0", None),
        ] {
            assert_eq!(parameter(is_pointer).completed(spec).as_deref(), expected, "{spec}");
        }
    }
}
