//! GPU architectures: the generation and the GPUs of a target such as `sm_90a`.

use isa::target::{Suffix, Target, TargetSet};

/// Numbers of targets, the generation, and well-known GPUs; empty where none is certain.
const ARCHITECTURES: [(&[u16], &str, &str); 30] = [
    (&[10], "Tesla", "GeForce 8800 GTX"),
    (&[11], "Tesla", "GeForce 9800 GT"),
    (&[12], "Tesla", ""),
    (&[13], "Tesla", "GeForce GTX 280, Tesla C1060"),
    (&[20], "Fermi", "GeForce GTX 480, Tesla C2050"),
    (&[21], "Fermi", "GeForce GTX 460"),
    (&[30], "Kepler", "GeForce GTX 680, Tesla K10"),
    (&[32], "Kepler", "Jetson TK1"),
    (&[35], "Kepler", "Tesla K20, Tesla K40"),
    (&[37], "Kepler", "Tesla K80"),
    (&[50], "Maxwell", "GeForce GTX 750"),
    (&[52], "Maxwell", "GeForce GTX 980, Tesla M40"),
    (&[53], "Maxwell", "Jetson TX1, Jetson Nano"),
    (&[60], "Pascal", "Tesla P100"),
    (&[61], "Pascal", "GeForce GTX 1080, Tesla P4, Tesla P40"),
    (&[62], "Pascal", "Jetson TX2"),
    (&[70], "Volta", "Tesla V100"),
    (&[72], "Volta", "Jetson AGX Xavier"),
    (&[75], "Turing", "Tesla T4, GeForce RTX 2080"),
    (&[80], "Ampere", "A100"),
    (&[86], "Ampere", "A10, A40, GeForce RTX 3090"),
    (&[87], "Ampere", "Jetson AGX Orin"),
    (&[88], "Ampere", ""),
    (&[89], "Ada Lovelace", "L4, L40, GeForce RTX 4090"),
    (&[90], "Hopper", "H100, H200"),
    (&[100], "Blackwell", "B200"),
    (&[103], "Blackwell", "B300"),
    (&[101, 110], "Blackwell", "Jetson Thor"),
    (&[120], "Blackwell", "GeForce RTX 5090"),
    (&[121], "Blackwell", "DGX Spark"),
];

/// What a target is, as Markdown; `None` if no PTX version has it.
pub(crate) fn describe_architecture(name: &str) -> Option<String> {
    let target = Target::parse(name)?;
    let summary = summary(target).map_or(String::new(), |summary| format!(": {summary}"));
    Some(format!("**`{target}`**{summary}\n\n{}", details(target)))
}

/// The generation of a target, and well-known GPUs; `None` if they are not certain.
pub(crate) fn summary(target: Target) -> Option<String> {
    let known = ARCHITECTURES.iter().find(|(numbers, ..)| numbers.contains(&target.number()));
    known.map(|(_, generation, gpus)| match *gpus {
        "" => (*generation).to_owned(),
        gpus => format!("{generation}, for example {gpus}"),
    })
}

/// The compute capability of a target, where its code runs, and the version that has it, as Markdown.
pub(crate) fn details(target: Target) -> String {
    let (number, since) = (target.number(), target.since());
    format!("Compute capability {}.{}. {}\n\nRequires PTX {since}.", number / 10, number % 10, runs_on(target))
}

/// Where code for a target runs, and which features it may use.
fn runs_on(target: Target) -> String {
    match target.suffix() {
        Suffix::None => "Code for it also runs on all newer architectures.".to_owned(),
        Suffix::Family => {
            let all = TargetSet::including(target).iter().filter(|other| other.suffix() == Suffix::Family);
            let members: Vec<String> =
                all.map(|member| format!("{}.{}", member.number() / 10, member.number() % 10)).collect();
            format!(
                "`f`: may use the features of its family, and runs only on compute capability {}.",
                members.join(", ")
            )
        }
        Suffix::Architecture => "`a`: may use all features of this architecture, and runs on no other.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_has_a_generation_and_says_where_it_runs() {
        assert_eq!(
            describe_architecture("sm_90").unwrap(),
            "**`sm_90`**: Hopper, for example H100, H200\n\nCompute capability 9.0. Code for it also runs on all newer architectures.\n\nRequires PTX 7.8."
        );
        assert!(describe_architecture("sm_90a").unwrap().contains("runs on no other.\n\nRequires PTX 8.0."));
        let family = describe_architecture("sm_100f").unwrap();
        assert!(family.contains("runs only on compute capability 10.0, 10.3"), "{family}");
        assert_eq!(describe_architecture("sm_91"), None);
    }

    #[test]
    fn every_architecture_is_a_target_and_is_listed_once() {
        let listed: Vec<u16> = ARCHITECTURES.iter().flat_map(|(numbers, ..)| numbers.iter().copied()).collect();
        for number in &listed {
            assert_eq!(listed.iter().filter(|other| *other == number).count(), 1, "{number}");
            assert!(Target::all().any(|target| target.number() == *number), "{number}");
        }
    }
}
