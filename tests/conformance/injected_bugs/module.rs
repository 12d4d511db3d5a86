//! Compiler-made modules, and ways to change them.

/// A module as lines, with its atomics.
pub struct Module {
    pub name: String,
    pub lines: Vec<String>,
    pub target: u32,
    pub atomics: Vec<Atomic>,
}

/// An atomic, alone in its line.
#[derive(Clone)]
pub struct Atomic {
    pub line: usize,
    /// The line before the opcode: spaces and a guard.
    pub before: String,
    pub words: Vec<String>,
    pub operands: Vec<String>,
    /// First line of its function.
    pub function: usize,
}

impl Atomic {
    pub fn read(line: usize, text: &str, function: usize) -> Option<Self> {
        let code = text.trim_start();
        let start = if code.starts_with('@') { code.find(char::is_whitespace)? + 1 } else { 0 };
        let rest = code[start..].trim_start();
        let body = rest.strip_suffix(';')?;
        let (opcode, operands) = body.split_once(char::is_whitespace)?;
        let words: Vec<String> = opcode.split('.').map(str::to_owned).collect();
        // Operands of asynchronous reductions are not checked.
        if !["atom", "red"].contains(&words[0].as_str()) || words[1] == "async" {
            return None;
        }
        let mut parts = vec![String::new()];
        let mut depth = 0;
        for c in operands.trim().chars() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            match c {
                ',' if depth == 0 => parts.push(String::new()),
                _ => parts.last_mut().unwrap().push(c),
            }
        }
        let operands = parts.iter().map(|part| part.trim().to_owned()).collect();
        Some(Atomic { line, before: text[..text.len() - rest.len()].to_owned(), words, operands, function })
    }

    pub fn text(&self) -> String {
        format!("{}{} {};", self.before, self.words.join("."), self.operands.join(", "))
    }

    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }

    pub fn address(&self) -> usize {
        self.operands.iter().position(|operand| operand.starts_with('[')).unwrap_or(0)
    }

    /// The size of the access in bytes.
    pub fn size(&self) -> i64 {
        let ty = self.words.last().unwrap();
        let digits: String = ty.chars().skip_while(|c| !c.is_ascii_digit()).collect();
        let (bits, packed) = digits.split_once('x').unwrap_or((&digits, "1"));
        let lanes =
            ["v2", "v4", "v8"].iter().find(|vector| self.has(vector)).map_or(1, |vector| vector[1..].parse().unwrap());
        bits.parse::<i64>().unwrap_or(8) / 8 * packed.parse::<i64>().unwrap_or(1) * lanes
    }

    /// A changed copy.
    pub fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut other = self.clone();
        change(&mut other);
        other
    }
}

impl Module {
    pub fn read(name: String, text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut function = 0;
        let mut atomics = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            if line.contains(".entry") || line.contains(".func") {
                function = at;
            }
            atomics.extend(Atomic::read(at, line, function));
        }
        let target = lines.iter().find_map(|line| line.strip_prefix(".target sm_"));
        let digits: String = target.unwrap_or("0").chars().take_while(char::is_ascii_digit).collect();
        Module { name, lines, target: digits.parse().unwrap(), atomics }
    }

    /// The text with the line `at` replaced; the bug is in the line `bug_at` of the new ones. Also declares variables of 16 bytes, `injected` in global and
    /// `injected_s` in shared memory.
    pub fn with(&self, at: usize, lines: &[String], bug_at: usize) -> InjectedBug {
        let head = self.lines.iter().position(|line| line.starts_with(".address_size")).unwrap_or(0);
        let mut text = self.lines[..=head].to_vec();
        text.push(".global .align 16 .b8 injected[16];".to_owned());
        text.push(".shared .align 16 .b8 injected_s[16];".to_owned());
        text.extend_from_slice(&self.lines[head + 1..at]);
        let line = text.len() + bug_at + 1;
        text.extend_from_slice(lines);
        text.extend_from_slice(&self.lines[at + 1..]);
        InjectedBug { text: text.join("\n") + "\n", line }
    }

    pub fn replace(&self, atomic: &Atomic, by: &Atomic) -> InjectedBug {
        self.with(atomic.line, &[by.text()], 0)
    }

    /// Inserts instructions before an atomic; one of them has the bug.
    pub fn before(&self, atomic: &Atomic, lines: &[&str], bug_at: usize) -> InjectedBug {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        lines.push(self.lines[atomic.line].clone());
        self.with(atomic.line, &lines, bug_at)
    }

    /// The lines of the function before an atomic.
    pub fn function_before(&self, atomic: &Atomic) -> &[String] {
        &self.lines[atomic.function..atomic.line]
    }

    /// Whether the address of an atomic is certainly a parameter of the kernel.
    pub fn is_parameter(&self, atomic: &Atomic) -> bool {
        let before = self.function_before(atomic);
        let address = atomic.operands[atomic.address()].trim_matches(['[', ']']);
        let one = |what: String| before.iter().filter(|line| line.contains(&what)).count() == 1;
        let kernel = before.first().is_some_and(|line| line.contains(".entry"));
        let converted = before.iter().find_map(|line| {
            line.trim()
                .strip_prefix("cvta.to.global.u64")?
                .trim()
                .trim_end_matches(';')
                .strip_prefix(address)?
                .strip_prefix(", ")
        });
        kernel && converted.is_some_and(|from| one(format!(".u64 \t{from}, [")) && one(format!("u64 \t{address}, ")))
    }
}

/// A module with a bug in it.
pub struct InjectedBug {
    pub text: String,
    /// The line of the bug, from 1.
    pub line: usize,
}
