#!/usr/bin/env bash
# Shows that the external scanner of tree-sitter-python 0.25.0 writes past the end of its buffer: builds the parser and the library of the crates
# that the product is built with, with AddressSanitizer and UndefinedBehaviorSanitizer, and parses what REPORT.md names. Needs cargo's registry and a C compiler.
#   tests/evidence/tree_sitter_python/reproduce.sh > tests/evidence/tree_sitter_python/answers.txt
set -euo pipefail
cd "$(dirname "$0")"
registry=$(echo "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*)
library=$(echo "$registry"/tree-sitter-0.27.*)
grammar=$(echo "$registry"/tree-sitter-python-0.25.*)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/main.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>
const TSLanguage *tree_sitter_python(void);
int main(void) {
    char *text = malloc(1 << 24);
    size_t length = fread(text, 1, 1 << 24, stdin);
    TSParser *parser = ts_parser_new();
    ts_parser_set_language(parser, tree_sitter_python());
    TSTree *tree = ts_parser_parse_string(parser, NULL, text, (uint32_t)length);
    printf("parsed, %s syntax errors\n", ts_node_has_error(ts_tree_root_node(tree)) ? "with" : "without");
    ts_tree_delete(tree);
    ts_parser_delete(parser);
    free(text);
}
C
# The scanner alone: 512 levels of indentation and one open string, saved in a buffer of the size that tree-sitter gives.
cat >"$work/save.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
void *tree_sitter_python_external_scanner_create(void);
unsigned tree_sitter_python_external_scanner_serialize(void *, char *);
void tree_sitter_python_external_scanner_deserialize(void *, const char *, unsigned);
int main(void) {
    char state[2 + 1 + 2 * 511] = {0, 1, 1};
    for (int level = 0; level < 511; level++) {
        state[3 + 2 * level] = (char)(level + 1);
        state[4 + 2 * level] = (char)((level + 1) >> 8);
    }
    void *scanner = tree_sitter_python_external_scanner_create();
    tree_sitter_python_external_scanner_deserialize(scanner, state, sizeof state);
    printf("saved %u bytes\n", tree_sitter_python_external_scanner_serialize(scanner, malloc(1024)));
}
C
flags=(-g -O1 -std=c11 -D_DEFAULT_SOURCE -fsanitize=address,undefined -fno-omit-frame-pointer -w)
cc "${flags[@]}" -I"$library/include" -I"$library/src" -I"$grammar/src" "$work/main.c" "$library/src/lib.c" "$grammar/src/parser.c" "$grammar/src/scanner.c" -o "$work/parse"

cc "${flags[@]}" -I"$grammar/src" "$work/save.c" "$grammar/src/scanner.c" -o "$work/save"

printf 'the scanner alone: '
("$work/save" 2>&1 || true) 2>/dev/null | grep -oE 'saved.*|[a-z-]+-overflow|scanner\.c:[0-9]+' | awk '!seen[$0]++' | head -2 | paste -sd' '

blocks() { # LEVELS STRINGS: nested blocks, and a string in so many f-strings in the innermost
    python3 -c "
import sys
levels, strings = int(sys.argv[1]), int(sys.argv[2])
print(''.join(' ' * level + 'if 1:\n' for level in range(levels)) + ' ' * levels + 'x = ' + 'f\"{' * strings + '\"s\"' + '}\"' * strings)" "$1" "$2"
}
for case in '99 0' '300 0' '383 254' '384 254' '385 254' '510 0' '511 0' '512 0'; do
    set -- $case
    printf '%s blocks, %s f-strings: ' "$1" "$2"
    blocks "$1" "$2" >"$work/text.py"
    (bash -c '"$0" <"$1" 2>&1' "$work/parse" "$work/text.py" || true) 2>/dev/null |
        grep -oE 'parsed, .*|[a-z-]+-overflow|Assertion .* failed' | awk '!seen[$0]++' | head -3 | paste -sd' '
done
