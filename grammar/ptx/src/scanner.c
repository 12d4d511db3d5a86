// Takes the lines of a debug section in large pieces, and the words that are refused where others may stand.
//
// A module with debug information is mostly DWARF bytes, and nobody asks for a node per number. This scanner reads
// whole items (`.b8 1,2,3`, `.b32 label+4`, `label:`), checks their form exactly as the grammar's own rules would, and
// hands over as many as stand in a row as one `section_data` leaf. Whatever it does not take (a comment inside an item, an
// unusual type, an error) it leaves to the grammar, so it never decides what is wrong, only what is plainly right.
//
// Where a piece ends depends only on the bytes just before it, not on where the piece began: after an edit the old
// boundaries fall in the same places again, and only the pieces that the edit touched are read anew.

#include "words.h"
#include "tree_sitter/parser.h"

enum Token { SECTION_DATA, MISPLACED_DATA, WRAPPED_STRING, NEVER, MODIFIER, SELECTOR, SECTION_WORD, NO_BODY, PERCENT, DECLARED_ONLY };

// A piece ends after an item where the fingerprint of the last 64 bytes has these bits clear: every 512 items or so.
#define BOUNDARY_MASK 0xFF80000000000000u
// And after this many bytes at the latest, for data that repeats and so never meets a boundary.
#define LONGEST_PIECE 32768u

typedef struct {
    TSLexer *lexer;
    uint64_t fingerprint;
    uint32_t length;
} Cursor;

static inline void step(Cursor *cursor) {
    // The old bytes leave the fingerprint by the left edge, one bit per step.
    cursor->fingerprint = (cursor->fingerprint << 1) + (uint64_t)cursor->lexer->lookahead * 0x9E3779B97F4A7C15u;
    cursor->length++;
    cursor->lexer->advance(cursor->lexer, false);
}

static inline bool is_blank(int32_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0x1a; }
static inline bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }
static inline bool is_letter(int32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline bool is_hex(int32_t c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
static inline bool is_word(int32_t c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

static inline void skip_blanks(Cursor *cursor) {
    while (is_blank(cursor->lexer->lookahead)) step(cursor);
}

// A name that starts here: `a`, `$L__info`, `%x`. A lone `_`, `$` or `%` is none, nor are the reserved words.
static bool take_name(Cursor *cursor) {
    static const char *const RESERVED[] = {"WARP_SZ", "function_name", "inlined_at"};
    TSLexer *lexer = cursor->lexer;
    int32_t first = lexer->lookahead;
    if (!is_letter(first) && first != '_' && first != '$' && first != '%') return false;
    const char *rest = NULL;
    for (int i = 0; i < 3; i++) {
        if (RESERVED[i][0] == first) rest = RESERVED[i] + 1;
    }
    step(cursor);
    if (!is_letter(first) && !is_word(lexer->lookahead)) return false;
    while (is_word(lexer->lookahead)) {
        rest = rest && *rest == lexer->lookahead ? rest + 1 : NULL;
        step(cursor);
    }
    return !(rest && *rest == '\0');
}

// A decimal or hexadecimal number without suffix; everything rarer is the grammar's business.
static bool take_number(Cursor *cursor) {
    TSLexer *lexer = cursor->lexer;
    if (!is_digit(lexer->lookahead)) return false;
    if (lexer->lookahead == '0') {
        step(cursor);
        if (lexer->lookahead == 'x') {
            step(cursor);
            if (!is_hex(lexer->lookahead)) return false;
            while (is_hex(lexer->lookahead)) step(cursor);
        }
    } else {
        while (is_digit(lexer->lookahead)) step(cursor);
    }
    return !is_word(lexer->lookahead) && lexer->lookahead != '.';
}

// Adds a character to a word; what is too long for the list needs no more than to be seen as that.
static inline void append(char *word, uint32_t *length, int32_t character) {
    if (*length <= LONGEST_WORD) word[(*length)++] = (char)character;
}

static void take_letters(Cursor *cursor, char *word, uint32_t *length) {
    while (is_word(cursor->lexer->lookahead)) {
        append(word, length, cursor->lexer->lookahead);
        step(cursor);
    }
}

// Reads a word and says what else it is.
static uint8_t take_word(Cursor *cursor) {
    char word[LONGEST_WORD + 1];
    uint32_t length = 0;
    take_letters(cursor, word, &length);
    return word_class(word, length);
}

// The name of a section: a dot and a word that means nothing else. Words in parts are the grammar's business.
static bool take_section_name(Cursor *cursor) {
    step(cursor);
    return is_letter(cursor->lexer->lookahead) && take_word(cursor) == 0 && cursor->lexer->lookahead != ':';
}

// What follows a type: numbers with commas, or one symbol with an offset or a symbol subtracted.
static bool take_values(Cursor *cursor) {
    TSLexer *lexer = cursor->lexer;
    if (is_digit(lexer->lookahead) || lexer->lookahead == '-') {
        for (;;) {
            if (lexer->lookahead == '-') step(cursor);
            if (!take_number(cursor)) return false;
            skip_blanks(cursor);
            if (lexer->lookahead != ',') return true;
            step(cursor);
            skip_blanks(cursor);
        }
    }
    bool section = lexer->lookahead == '.';
    if (section ? !take_section_name(cursor) : !take_name(cursor)) return false;
    skip_blanks(cursor);
    if (lexer->lookahead == '+') {
        step(cursor);
        skip_blanks(cursor);
        if (!take_number(cursor)) return false;
        skip_blanks(cursor);
    } else if (lexer->lookahead == '-') {
        if (section) return false;
        step(cursor);
        skip_blanks(cursor);
        if (!take_name(cursor)) return false;
        skip_blanks(cursor);
    }
    // A colon would make the symbol a label and leave the type without a value.
    return lexer->lookahead != ':';
}

// `.b8`, `.b16`, `.b32` or `.b64`, and a blank after it.
static bool take_type(Cursor *cursor) {
    static const char *const WIDTHS[] = {"8", "16", "32", "64"};
    TSLexer *lexer = cursor->lexer;
    step(cursor);
    if (lexer->lookahead != 'b') return false;
    step(cursor);
    for (int i = 0; i < 4; i++) {
        if (lexer->lookahead != WIDTHS[i][0]) continue;
        step(cursor);
        if (WIDTHS[i][1]) {
            if (lexer->lookahead != WIDTHS[i][1]) return false;
            step(cursor);
        }
        return is_blank(lexer->lookahead);
    }
    return false;
}

// Passes the comments, line markers and blanks that stand here.
static void skip_comments(Cursor *cursor) {
    TSLexer *lexer = cursor->lexer;
    while (lexer->lookahead == '/' || lexer->lookahead == '#' || is_blank(lexer->lookahead)) {
        bool slash = lexer->lookahead == '/', marker = lexer->lookahead == '#';
        step(cursor);
        if (marker || (slash && lexer->lookahead == '/')) {
            while (!lexer->eof(lexer) && lexer->lookahead != '\n') step(cursor);
        } else if (slash && lexer->lookahead == '*') {
            step(cursor);
            for (int32_t last = 0; !lexer->eof(lexer) && !(last == '*' && lexer->lookahead == '/'); step(cursor)) {
                last = lexer->lookahead;
            }
            step(cursor);
        } else if (slash) {
            return;
        }
    }
}

// Whole items up to a boundary. Outside a section only numbers can start a piece: `.b32 x` may be a declaration there.
static bool take_items(TSLexer *lexer, enum Token token) {
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, true);
    Cursor cursor = {lexer, 0, 0};
    bool taken = false;
    for (;;) {
        if (lexer->lookahead == '.') {
            if (!take_type(&cursor)) break;
            skip_blanks(&cursor);
            if (token == MISPLACED_DATA && !taken && !is_digit(lexer->lookahead)) break;
            if (!take_values(&cursor)) break;
            // After a comment the item may go on; then all of it is the grammar's business.
            if (lexer->lookahead == '/' || lexer->lookahead == '#') {
                if (taken) break;
                lexer->mark_end(lexer);
                skip_comments(&cursor);
                taken = lexer->lookahead != ',' && lexer->lookahead != '+' && lexer->lookahead != '-' && lexer->lookahead != ':';
                break;
            }
        } else {
            if (token == MISPLACED_DATA && !taken) break;
            if (!take_name(&cursor)) break;
            skip_blanks(&cursor);
            if (lexer->lookahead != ':') break;
            step(&cursor);
            skip_blanks(&cursor);
        }
        // Only whole items count; an item that fails half way is left to the grammar.
        lexer->mark_end(lexer);
        taken = true;
        if ((cursor.fingerprint & BOUNDARY_MASK) == 0 || cursor.length >= LONGEST_PIECE) break;
    }
    lexer->result_symbol = token;
    return taken;
}

// One word with a dot before it, and its parts (`.x`, `.L2::cache_hint`), unless it is of a refused class.
static bool take_dotted(TSLexer *lexer, enum Token token, uint8_t refused) {
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, true);
    if (lexer->lookahead != '.') return false;
    Cursor cursor = {lexer, 0, 0};
    char word[LONGEST_WORD + 1];
    uint32_t length = 0;
    step(&cursor);
    if (!is_letter(lexer->lookahead)) return false;
    take_letters(&cursor, word, &length);
    lexer->mark_end(lexer);
    while (lexer->lookahead == ':') {
        uint32_t whole = length;
        append(word, &length, lexer->lookahead);
        step(&cursor);
        append(word, &length, lexer->lookahead);
        if (lexer->lookahead == ':') step(&cursor);
        if (!is_word(lexer->lookahead)) {
            length = whole;
            break;
        }
        take_letters(&cursor, word, &length);
        lexer->mark_end(lexer);
    }
    uint8_t class = word_class(word, length);
    // The bank of `.const[3]`: part of the word, where its digits and brackets touch.
    if ((class & WORD_BANKED) && lexer->lookahead == '[') {
        step(&cursor);
        if (lexer->lookahead == '1') step(&cursor);
        if (is_digit(lexer->lookahead)) step(&cursor);
        if (lexer->lookahead == ']') {
            step(&cursor);
            lexer->mark_end(lexer);
        }
    }
    lexer->result_symbol = token;
    return !(class & refused);
}

// Nothing, where a function's head is followed by what begins something else or by the end.
static bool take_no_body(TSLexer *lexer) {
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, true);
    lexer->mark_end(lexer);
    lexer->result_symbol = NO_BODY;
    if (lexer->lookahead != '.') return lexer->eof(lexer) || lexer->lookahead == '@';
    Cursor cursor = {lexer, 0, 0};
    step(&cursor);
    return take_word(&cursor) & (WORD_ITEM | WORD_TYPE);
}

// `%`, the operator, and not the first letter of a register.
static bool take_percent(TSLexer *lexer) {
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, true);
    if (lexer->lookahead != '%') return false;
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    lexer->result_symbol = PERCENT;
    return !is_word(lexer->lookahead);
}

// Whether a `;` comes before any brace.
static bool is_declared_only(Cursor *cursor) {
    TSLexer *lexer = cursor->lexer;
    while (!lexer->eof(lexer) && lexer->lookahead != '{' && lexer->lookahead != '}' && lexer->lookahead != ';') {
        if (lexer->lookahead == '/') {
            skip_comments(cursor);
        } else {
            step(cursor);
        }
    }
    return lexer->lookahead == ';';
}

// Nothing, before a `.func` or its linkage, where no more than a declaration follows.
static bool take_declared_only(TSLexer *lexer) {
    static const char *const STARTS[] = {"func", "extern", "visible", "weak"};
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, true);
    if (lexer->lookahead != '.') return false;
    lexer->mark_end(lexer);
    lexer->result_symbol = DECLARED_ONLY;
    Cursor cursor = {lexer, 0, 0};
    char word[LONGEST_WORD + 1];
    uint32_t length = 0;
    step(&cursor);
    take_letters(&cursor, word, &length);
    for (int i = 0; i < 4; i++) {
        if (length == strlen(STARTS[i]) && memcmp(word, STARTS[i], length) == 0) return is_declared_only(&cursor);
    }
    return false;
}

// A string over several lines. Here and not in the grammar, because a `"` too many would swallow the module up to the next.
static bool take_wrapped_string(TSLexer *lexer) {
    while (is_blank(lexer->lookahead)) lexer->advance(lexer, true);
    if (lexer->lookahead != '"') return false;
    lexer->advance(lexer, false);
    bool wrapped = false;
    while (lexer->lookahead != '"') {
        if (lexer->lookahead <= 0 || lexer->lookahead > '~') return false;
        wrapped = wrapped || lexer->lookahead == '\n';
        lexer->advance(lexer, false);
    }
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    lexer->result_symbol = WRAPPED_STRING;
    return wrapped;
}

bool tree_sitter_ptx_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid_symbols) {
    (void)payload;
    // While an error is being mended every token is valid, the one that never comes among them. Keep out: the grammar
    // finds its feet line by line.
    if (valid_symbols[NEVER]) return false;
    if (valid_symbols[WRAPPED_STRING]) return take_wrapped_string(lexer);
    if (valid_symbols[MODIFIER]) return take_dotted(lexer, MODIFIER, WORD_DIRECTIVE);
    if (valid_symbols[SELECTOR]) return take_dotted(lexer, SELECTOR, WORD_DIRECTIVE | WORD_MODIFIER);
    if (valid_symbols[SECTION_WORD]) return take_dotted(lexer, SECTION_WORD, WORD_DIRECTIVE | WORD_MODIFIER | WORD_TYPE);
    if (valid_symbols[PERCENT]) return take_percent(lexer);
    if (valid_symbols[DECLARED_ONLY]) return take_declared_only(lexer);
    if (valid_symbols[NO_BODY]) return take_no_body(lexer);
    if (valid_symbols[SECTION_DATA]) return take_items(lexer, SECTION_DATA);
    if (valid_symbols[MISPLACED_DATA]) return take_items(lexer, MISPLACED_DATA);
    return false;
}

void *tree_sitter_ptx_external_scanner_create(void) { return NULL; }
void tree_sitter_ptx_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_ptx_external_scanner_serialize(void *payload, char *buffer) {
    (void)payload;
    (void)buffer;
    return 0;
}
void tree_sitter_ptx_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
    (void)payload;
    (void)buffer;
    (void)length;
}
