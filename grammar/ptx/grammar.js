/**
 * PTX as the assembler reads it.
 *
 * Syntax only: directives are keywords, instruction mnemonics are not. An opcode with all its modifiers is one leaf, and so is
 * an operand in its usual spelling; consumers split leaves where they need parts. The number of nodes determines the speed of
 * the parser. Therefore the usual spelling of an address, a vector or a guard is one token, and a rule for the same node accepts
 * the other spellings (with comments, or over several lines).
 *
 * Where this file looks arbitrary (an initial value may be `a+4` but not `4+a`), it follows the assembler. The answers of the
 * assembler are in tests/evidence/syntax.
 */

// Parts of tokens. A token may not contain a rule, so what several tokens share is the source of a regular expression.
const BLANK = '[ \\t\\r\\n\\f]';
const COMMENT = '(?://[^\\n]*\\n|/\\*[^*]*\\*+(?:[^/*][^*]*\\*+)*/)';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Any word except the given ones. Regular expressions have no complement, so this lists every way to differ from them. */
const wordBut = (words, prefix = '') => {
  const next = [...new Set(words.filter((word) => word.startsWith(prefix) && word !== prefix).map((word) => word[prefix.length]))];
  const other = [...(prefix ? LETTERS + '0123456789_$' : LETTERS)].filter((letter) => !next.includes(letter)).join('');
  const ways = [`[${other}][A-Za-z0-9_$]*`, ...next.map((letter) => letter + wordBut(words, prefix + letter))];
  return `(?:${ways.join('|')})${prefix && !words.includes(prefix) ? '?' : ''}`;
};
// Reserved: not allowed as names.
const RESERVED = ['WARP_SZ', 'function_name', 'inlined_at'];
const ANY_WORD = '(?:[A-Za-z][A-Za-z0-9_$]*|[%_$][A-Za-z0-9_$]+)';
const WORD = `(?:${wordBut(RESERVED)}|[%_$][A-Za-z0-9_$]+)`;
const OPCODE_WORD = `(?:${wordBut([...RESERVED, 'call'])}|[%_$][A-Za-z0-9_$]+)`;
// Not allowed as modifiers. Others (`.global`, `.weak`, `.alias`) are directives and modifiers. The scanner has a list of
// modifiers after a space, of selectors and of section names.
const DIRECTIVES = [
  'abi_preserve', 'abi_preserve_control', 'address_size', 'align', 'attribute', 'blocksareclusters', 'branchtargets', 'byte',
  'callprototype', 'calltargets', 'common', 'entry', 'explicitcluster', 'extern', 'file', 'func', 'language', 'loc',
  'local_maxnreg', 'managed', 'maxclusterrank', 'maxnctapersm', 'maxnreg', 'maxntid', 'minnctapersm', 'noreturn', 'pragma',
  'ptr', 'reg', 'reqnctapercluster', 'reqntid', 'section', 'target', 'unified', 'visible',
];

const INTEGER = '(?:0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|0[0-7]*U?|[1-9][0-9]*U?)';
const DECIMAL = '(?:0[0-7]*|[1-9][0-9]*)';
// The hexadecimal form of a double may be used wherever a decimal one may.
const FLOAT = '(?:[0-9]+\\.[0-9]*(?:[eE][+-]?[0-9]+)?|\\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|0[dD][0-9a-fA-F]{16})';
const HEX_FLOAT = '0[fF][0-9a-fA-F]{8}';
const NUMBER = `(?:${HEX_FLOAT}|-?(?:${FLOAT}|${INTEGER}))`;
// A part may have one more word after a colon: `.sp::2:4`.
const PARTS = '(?:::[A-Za-z0-9_$]+(?::[A-Za-z0-9_$]+)?)';
// A constant bank of PTX 1 and 2.
const BANK = 'const(?:\\[1?[0-9]\\])';
// The assembler's lexer has a keyword for each modifier that begins with a digit.
const SHAPES = '[1-5]d|2dms|(?:64|128|256)B|(?:4x256|16x64|16x128|16x256|32x32|32x128|64x128|128x128|128x256)b|16x32bx2';
// Two parts that need no dot and no word before them. The brackets keep the test that looks for mnemonics from finding them.
const BARE_PART = '::(?:l[d]|s[t])';
const modifier = (word) => `(?:\\.(?:${word}|[A-Za-z][A-Za-z0-9_$]*${PARTS}+|${BANK}|${SHAPES})|${BARE_PART})`;
const MODIFIER = modifier(wordBut(DIRECTIVES));
const ANY_MODIFIER = modifier('[A-Za-z][A-Za-z0-9_$]*');

// A line marker of a C preprocessor, `# 1 "file" 2`, alone in its line.
const LINE_MARKER = '#[ \\t]*(?:line[ \\t]*)?[0-9]+[ \\t]+"[\\x01-\\x09\\x0b-!#-\\x7f]*"(?:[ \\t]+[0-9])*[ \\t\\r\\f]*\\n';
const GAP = `(?:[ \\t\\r\\n\\f\\x1a]|${COMMENT}|${LINE_MARKER})`;

const pattern = (source) => new RustRegex(source);
const listed = (element) => `${element}(?:${BLANK}*,${BLANK}*${element})*`;

const commaSep1 = (rule) => seq(rule, repeat(seq(',', rule)));
const commaSep = (rule) => optional(commaSep1(rule));

/** `first`, then `, rule` up to `count` times without a repetition, which would cost a hidden node per element, then more. */
const flatList = (first, rule, count) => {
  const shapes = [first];
  for (let length = 1; length <= count; length++) {
    shapes.push(seq(first, ...Array(length).fill([',', rule]).flat()));
  }
  shapes.push(seq(first, ...Array(count).fill([',', rule]).flat(), repeat1(seq(',', rule))));
  return choice(...shapes);
};

// Before a word, `%` is the first letter of a name and not an operator; the scanner distinguishes them.
const PERCENT = '%';
// Precedence of the operators of constant expressions, lowest first.
const BINARY = [
  ['||'], ['&&'], ['|'], ['^'], ['&'], ['==', '!='], ['<', '<=', '>', '>='], ['<<', '>>'], ['+', '-'], ['*', '/', PERCENT],
];
const UNARY = 20;

const TYPES = [
  '.b8', '.b16', '.b32', '.b64', '.b128', '.u8', '.u16', '.u32', '.u64', '.s8', '.s16', '.s32', '.s64',
  '.f16', '.f16x2', '.f32', '.f32x2', '.f64', '.u16x2', '.s16x2', '.e4m3', '.e4m3x2', '.e4m3x4', '.e5m2', '.e5m2x2', '.e5m2x4',
  '.e3m2x2', '.e3m2x4', '.e2m3x2', '.e2m3x4', '.e2m1x2', '.e2m1x4', '.ue8m0x2', '.ue8m0x4', '.s2f6x2',
  '.pred', '.texref', '.samplerref', '.surfref',
];

// Directives in places where the assembler knows no other word with a dot. With letters or digits appended they are unknown words.
const GLUED = [...TYPES, '.v2', '.v4', '.alias', '.target', '.func', '.entry', '.branchtargets', '.calltargets', '.callprototype', '.abi_preserve', '.align', '.local_maxnreg', '.language', '.ptr', '.byte', '.quad'];
const GLUED_WORD = `\\.(?:(?:${GLUED.map((word) => word.slice(1)).join('|')})[A-Za-z0-9_$]+|loc[0-9A-Zb-z_$][A-Za-z0-9_$]*)`;

module.exports = grammar({
  name: 'ptx',

  externals: ($) => [$.section_data, $._misplaced_data, $._wrapped_string, $._never, $.modifier, $.selector, $._section_word, $._no_body, $._percent, $._declared_only],

  extras: ($) => [/[ \t\r\n\f\x1a]/, $.comment, $.line_marker],

  supertypes: ($) => [$.item, $.declaration, $.expression],

  // Inlining saves a reduction for each, an eighth of the parse time.
  inline: ($) => [$._operand, $._guard, $._before_opcode],

  rules: {
    // A module without its first directives is not a syntax error.
    module: ($) => seq(optional($.version_directive), repeat($.target_directive), optional($.address_size_directive), repeat($.item)),

    item: ($) => choice(
      $.file_directive, $.section, $.pragma_directive, $.alias_directive, $.dwarf_directive, $.declaration, $.function,
      $.unknown_directive, $.misplaced_code, $.misplaced_data,
    ),
    // An unknown directive is one word and an error, instead of a known directive and a rest.
    unknown_directive: ($) => seq($.dotted_word, alias($._never, $.known_directive)),

    // `.b32x` is one word, not a type and a name.
    _glued_directive: ($) => seq($._glued_word, alias($._never, $.known_directive)),

    // Code and data outside of braces, as after a surplus `}`. They keep their nodes. The rule ends in a token that never
    // occurs, so each of them is an error.
    misplaced_code: ($) => seq(
      repeat1(choice($.label, $._code)),
      alias($._never, $.enclosing_function)),

    misplaced_data: ($) => seq(repeat1(alias($._misplaced_data, $.section_data)), alias($._never, $.enclosing_section)),

    // Module directives.
    version_directive: ($) => seq('.version', field('number', $.version)),
    version: () => /[0-9]+\.[0-9]+/,
    target_directive: ($) => seq('.target', flatList(field('name', $.name), field('name', $.name), 1)),
    address_size_directive: ($) => seq('.address_size', field('bits', $._count)),
    file_directive: ($) => seq('.file', field('index', $._count), field('path', $._string),
      optional(seq(',', field('timestamp', $._count), optional(seq(',', field('size', $._count)))))),
    pragma_directive: ($) => seq('.pragma', commaSep1(field('value', $._string)), ';'),
    alias_directive: ($) => seq('.alias', field('name', $.name), ',', field('target', $.name), ';'),
    dwarf_directive: ($) => choice(
      seq('@@DWARF', '.section', field('name', alias($._section_word, $.section_name)), ',', $._string, ',', '@progbits'),
      seq('@@DWARF', field('type', choice($.type, alias(choice('.byte', '.4byte', '.quad'), $.type), alias($._glued_directive, $.unknown_directive))), choice(
        field('value', choice($.name, alias($._section_word, $.section_name))), commaSep1(field('value', $.integer))))),

    // Debug sections. The scanner reads most of their lines, many at once; the rules below read the others.
    section: ($) => seq('.section', field('name', alias($._section_word, $.section_name)), field('body', $.section_body)),
    section_body: ($) => seq('{', repeat(choice($.section_data, $.label, $.section_line)), '}'),
    section_line: ($) => seq(choice($._type, field('type', alias(choice('.byte', '.4byte', '.quad'), $.type))), choice(
      field('value', choice($.name, alias($._section_word, $.section_name), $.section_offset)),
      commaSep1(field('value', $._section_value)))),
    _section_value: ($) => choice($.integer, alias($._minus_integer, $.unary_expression), seq($.float, alias($._never, $.integer))),
    _minus_integer: ($) => seq(field('operator', '-'), field('operand', alias($._signed_integer, $.integer))),
    _signed_integer: () => pattern(INTEGER.replaceAll('U?', '')),
    section_offset: ($) => choice(
      $._symbol_plus, seq($.name, '-', $.name)),
    _symbol_plus: ($) => seq(choice($.name, alias($._section_word, $.section_name)), '+', $.integer),

    // Variables.
    declaration: ($) => choice($.variable_declaration, $.register_declaration),
    register_declaration: ($) => seq(optional($._linkage), $._register_declaration),
    _register_declaration: ($) => seq(optional($._attributes), '.reg', optional($._storage), $._element_type,
      optional(flatList(field('declarator', $.declarator), field('declarator', $.declarator), 2)), ';'),
    variable_declaration: ($) => seq(optional($._linkage), $._variable_declaration),
    // A missing state space is not a syntax error. Without one, the type must be known: otherwise every unknown directive would be
    // a type, and so would the `.visible` of the next function after a missing `}`.
    _variable_declaration: ($) => seq(optional($._attributes), choice(
      seq(field('space', $._space), optional($._storage), $._element_type),
      choice(field('type', $.type), seq(field('vector', $.vector_size), $._type))),
      optional(flatList(field('declarator', $.declarator), field('declarator', $.declarator), 1)), ';'),
    // Two state spaces are an error, but not one of syntax.
    _storage: ($) => repeat1(choice($._attribute, $._any_space)),
    _attributes: ($) => repeat1($._attribute),
    _element_type: ($) => seq(optional(field('vector', $.vector_size)), $._type),
    _local_declaration: ($) => choice(
      alias($._register_declaration, $.register_declaration), alias($._variable_declaration, $.variable_declaration)),
    linkage: () => token(choice('.extern', '.visible', '.weak')),
    _linkage: ($) => field('linkage', choice($.linkage, alias('.common', $.linkage))),
    space: () => token(choice('.global', '.const', pattern(`\\.${BANK}`), '.shared', '.local')),
    _space: ($) => choice($.space, alias(choice('.param', '.tex'), $.space)),
    _any_space: ($) => field('space', choice($._space, alias('.reg', $.space))),
    _attribute: ($) => choice(field('alignment', $.alignment), field('attribute', $.attribute)),
    alignment: ($) => choice(seq('.align', field('bytes', $._count)), alias($._glued_directive, $.unknown_directive)),
    vector_size: () => token(choice('.v2', '.v4')),
    attribute: ($) => seq('.attribute', '(', commaSep1(choice('.managed', $.unified_attribute)), ')'),
    unified_attribute: ($) => seq('.unified', '(', field('uuid', $._count), ',', field('uuid', $._count), ')'),
    type: () => choice(...TYPES),
    _type: ($) => field('type', choice($.type, $.unknown_directive)),
    declarator: ($) => seq(field('name', $.name), optional(choice(
      seq('<', field('count', $._count), '>'),
      seq($._dimensions, optional(seq('=', field('value', $._initialiser)))),
      seq('=', field('value', $._initialiser))))),
    // Only the first dimension may be empty.
    _dimensions: ($) => seq(field('dimension', choice(alias($._open_dimension, $.dimension), $.dimension)), repeat(field('dimension', $.dimension))),
    _open_dimension: () => seq('[', ']'),
    dimension: ($) => seq('[', field('size', $._count), ']'),
    _initialiser: ($) => choice($._constant, $._symbol_value,
      alias($._initialiser_token, $.initialiser_list), $.initialiser_list),
    initialiser_list: ($) => seq('{', commaSep(choice($._initialiser, $.field_initialiser)), '}'),
    field_initialiser: ($) => seq(field('name', $.name), '=', field('value', choice($._constant, $.name))),
    _initialiser_token: () => token(prec(1, pattern(
      `\\{${BLANK}*${listed(`(?:${NUMBER}|${WORD})`)}${BLANK}*\\}`))),
    _symbol_value: ($) => choice($._symbol, $.generic_address, $.symbol_offset, $.masked_address),
    _symbol: ($) => $.name,
    generic_address: ($) => seq(alias($._generic, 'generic('), field('symbol', $._symbol), ')'),
    _generic: () => token(pattern(`generic${GAP}*\\(`)),
    symbol_offset: ($) => prec.right(0, seq(field('symbol', choice($._symbol, $.generic_address)), '+', field('offset', $._constant))),
    masked_address: ($) => seq(field('mask', choice($.integer, $.warp_size)), '(', field('symbol', choice($._symbol, $.generic_address, $.symbol_offset, $._term)), ')'),

    // Functions.
    function: ($) => seq(
      optional(field('linkage', $.linkage)),
      choice(
        // The declaration of a kernel has no directives.
        seq(field('kind', alias('.entry', $.function_kind)), field('name', $.name), optional(field('parameters', $.parameters)),
          choice(field('body', ';'), seq(repeat(field('directive', choice($.performance_directive, $.pragma_directive))), field('body', $.block)))),
        // The declaration of a function may lack its `;`. The scanner recognizes the start of the next item.
        seq($._func_header, choice(
          field('body', ';'), $._no_body,
          seq(optional(field('directive', alias($._local_maxnreg, $.performance_directive))),
            optional(field('directive', alias($._language, $.performance_directive))), field('body', $.block)))))),
    // The declaration of a function inside of another. The scanner looks ahead for the `;`, so that a `.func` with a body never
    // starts here and a missing `}` is reported at the next function.
    function_declaration: ($) => seq($._declared_only, optional(field('linkage', $.linkage)), choice($._func_header, alias($._glued_directive, $.unknown_directive)), ';'),
    _func_header: ($) => seq(field('kind', alias('.func', $.function_kind)), optional(field('attribute', alias($._function_attribute, $.attribute))),
      optional(field('returns', $.parameters)), field('name', $.name), optional(field('parameters', $.parameters)),
      optional($._abi_directives)),
    _function_attribute: ($) => seq('.attribute', '(', $.unified_attribute, ')'),
    parameters: ($) => seq('(', commaSep($.parameter), ')'),
    parameter: ($) => seq(optional($._attributes), optional(seq($._any_space, optional($._storage))), $._element_type,
      optional(choice(field('pointer', $.pointer), field('alignment', $.alignment))), field('name', choice($.name, $.sink)), optional(field('dimension', choice(alias($._open_dimension, $.dimension), $.dimension)))),
    pointer: ($) => seq($._ptr, optional(field('space', choice($.space, alias(choice('.texref', '.samplerref', '.surfref'), $.space), $.unknown_directive))), optional(field('alignment', $.alignment))),
    // Hidden, because in invalid text the lexer may return it or a `dotted_word`, depending on what was parsed before.
    _ptr: () => /\.ptr/,
    performance_directive: ($) => choice(
      seq(choice('.maxnreg', '.minnctapersm', '.maxnctapersm', '.maxclusterrank'), field('value', $._count)),
      seq(choice('.maxntid', '.reqntid', '.reqnctapercluster'), field('value', $._count),
        optional(seq(',', field('value', $._count), optional(seq(',', field('value', $._count)))))),
      '.explicitcluster', '.blocksareclusters', $._local_maxnreg, $._language, $.unknown_directive),
    // The manual has neither of these two.
    _local_maxnreg: ($) => seq('.local_maxnreg', field('value', $._count)),
    _language: ($) => seq('.language', commaSep1(field('value', choice($._count, $._string)))),
    // `.noreturn` must be the first, and may occur once.
    _abi_directives: ($) => seq(field('directive', $.abi_directive), repeat(field('directive', alias($._abi_preserve, $.abi_directive)))),
    abi_directive: ($) => choice('.noreturn', $._abi_preserve),
    _abi_preserve: ($) => choice(
      seq(choice('.abi_preserve', '.abi_preserve_control'), field('value', $._count)), alias($._glued_directive, $.unknown_directive)),

    // Code. A label and what follows it are one node, so that no list of siblings is as long as the function.
    block: ($) => seq('{', repeat($._statement), repeat($.basic_block), '}'),
    basic_block: ($) => prec.right(seq(repeat1($.label),
      optional(choice($.call_prototype, $.call_targets, $.branch_targets)), repeat($._statement))),
    // One token with the colon: the parser must recognize a label at once, to end the basic block before it.
    label: () => token(pattern(`${WORD}${GAP}*:`)),

    _statement: ($) => choice(
      $._code, $._local_declaration, $.pragma_directive,
      $.target_directive, $.alias_directive, $.function_declaration),
    _code: ($) => choice($.instruction, $.block, alias($._loc_token, $.loc_directive), $.loc_directive),

    loc_directive: ($) => seq('.loc', field('file', $._count), field('line', $._count), field('column', $._count),
      optional(seq(alias($._comma_function_name, ', function_name'), field('function', choice($.name, alias($._section_word, $.section_name), alias($._symbol_plus, $.section_offset))),
        alias($._comma_inlined_at, ', inlined_at'), field('file', $._count), field('line', $._count), field('column', $._count)))),
    // With their commas: as separate words they would be preferred to names in error recovery.
    _comma_function_name: () => token(pattern(`,${GAP}*function_name${GAP}`)),
    _comma_inlined_at: () => token(pattern(`,${GAP}*inlined_at${GAP}`)),
    _loc_token: () => token(prec(1, pattern(`\\.loc(?:[ \\t]+${DECIMAL}){3}`
      + `(?:, function_name ${WORD}(?:\\+${DECIMAL})?, inlined_at(?: ${DECIMAL}){3})?[\\r]?\\n`))),

    call_prototype: ($) => seq('.callprototype', optional(field('returns', $.parameters)), $.sink,
      optional(field('parameters', $.parameters)), optional($._abi_directives), ';'),
    call_targets: ($) => seq('.calltargets', commaSep1(field('target', choice($.name, $.label_range))), ';'),
    branch_targets: ($) => seq('.branchtargets', commaSep1(field('target', choice($.name, $.label_range))), ';'),
    label_range: ($) => seq(field('name', $.name), '<', field('count', $._count), '>'),

    instruction: ($) => seq(
      choice(
        seq(
          optional($._before_opcode),
          // Also a name: `ret` is one where the `;` before it is missing.
          field('opcode', choice($.opcode, alias($.name, $.opcode), alias($._parted_opcode, $.opcode))),
          optional(choice(
            flatList(field('operand', $.name), field('operand', $._operand), 3),
            flatList(field('operand', $._first_operand), field('operand', $._operand), 3)))),
        seq(optional($._guard), field('opcode', alias($._call, $.opcode)), $._call_operands),
        seq(optional($._guard), '\\', alias('call', $.opcode), alias($._never, $.name))),
      ';'),
    // The assembler accepts a backslash here and ignores it.
    _before_opcode: ($) => choice($._guard, seq(optional($._guard), '\\')),
    _guard: ($) => field('guard', choice(alias($._guard_token, $.guard), $.guard)),
    guard: ($) => choice(
      seq('@', optional('!'), choice(field('predicate', $.name), seq($._reserved_word, alias($._never, $.name)))),
      seq($._reserved_guard, alias($._never, $.name))),
    // The assembler has one token for this word with its `@`.
    _reserved_guard: () => token(prec(2, pattern('@progbits[A-Za-z0-9_$]*'))),
    _guard_token: () => token(prec(1, pattern(`@!?${WORD}`))),

    // Of tokens with the same length, the first of this file wins.
    opcode: () => token(pattern(`${OPCODE_WORD}(?:${GAP}+${BARE_PART})?(?:${MODIFIER})*`)),
    // The assembler accepts spaces and comments before the dot of a modifier.
    _parted_opcode: ($) => choice(
      seq(alias(choice($.opcode, $.name), $.mnemonic), $._modifiers), seq(alias($.reserved_opcode, $.mnemonic), alias($._never, $.modifier))),
    // An opcode with a reserved word in it is one error.
    reserved_opcode: () => token(pattern(`(?:@!?(?:${RESERVED.join('|')})|${GLUED_WORD}|(?:${wordBut(['call'])}|[%_$][A-Za-z0-9_$]+)(?:${ANY_MODIFIER})*)`)),

    // A call: results, function, arguments, then the prototype or the list of targets. Only this mnemonic has lists in parentheses,
    // also in the assembler's grammar.
    _call: ($) => seq(alias(choice('call', $._parted_call), $.mnemonic), optional($._modifiers)),
    // Without this token and its counterpart in `opcode`, the text up to the first colon would be a label.
    _parted_call: () => token(pattern(`call${GAP}*${BARE_PART}`)),
    _modifiers: ($) => repeat1(choice($.modifier, alias($._shape, $.modifier))),
    _shape: () => token(pattern(`(?:\\.(?:${SHAPES})|${BARE_PART})`)),
    _call_operands: ($) => seq(
      optional(seq(field('results', $.argument_list), ',')), field('operand', $.name),
      optional(seq(',', field('arguments', $.argument_list))), optional(seq(',', field('operand', $.name)))),
    argument_list: ($) => seq('(', commaSep(choice($.name, $.sink, $._constant)), ')'),

    _first_operand: ($) => choice($._other_operand, $.sink, alias($._pair_token, $.predicate_pair), $.predicate_pair),
    predicate_pair: ($) => choice(
      seq(field('first', $.name), '|', field('second', choice($.name, $.sink))),
      seq(field('first', choice($.sink, $._vector)), '|', field('second', $.name))),
    _pair_token: () => token(prec(1, pattern(`${WORD}\\|${WORD}`))),
    sink: () => '_',

    // The usual operands are listed, the others are after one more symbol, which needs fewer states.
    _operand: ($) => choice($.name, $._other_operand),
    _other_operand: ($) => choice(
      $.element, alias($._vector_element, $.element), $.negated_operand, $.register_offset, $.subscript, $._vector,
      alias($._address_token, $.address), $.address, $._constant),
    negated_operand: ($) => choice(
      seq(field('operator', '-'), field('operand', choice($.name, $.element))), seq(field('operator', '!'), field('operand', $.name))),
    register_offset: ($) => seq(field('base', $.name), '+', field('offset', $._constant)),
    subscript: ($) => seq(field('base', $.name), '[', field('index', choice($.name, $.register_offset, $._constant)), ']'),
    element: ($) => seq(field('base', $.name), field('selector', $.selector)),
    _vector_element: ($) => seq(field('base', $._vector), field('selector', $.selector)),

    address: ($) => seq('[', choice($.name, $.register_offset, $._constant,
      seq($.name, ',', choice($._vector, seq($.name, optional(seq(',', $._coordinates)))))), ']'),
    // The coordinates of textures, with everything that the assembler's grammar accepts after them.
    _coordinates: ($) => choice($.name, seq(
      optional(seq($.name, ',', optional(seq($.name, ',')))), $._vector,
      optional(seq(',', $._vector, optional(seq(',', $.name, ',', $._vector)))))),
    _address_token: () => token(prec(1, pattern(`\\[[ \\t]*${WORD}(?:[ \\t]*\\+[ \\t]*-?${INTEGER})?[ \\t]*\\]`))),

    _vector: ($) => choice(alias($._vector_token, $.vector), $.vector),
    vector: ($) => seq('{', commaSep1(choice($.name, $.element, $.sink, $._constant)), '}'),
    _vector_token: () => token(prec(1, pattern(
      `\\{[ \\t]*${WORD}(?:[ \\t]*,[ \\t]*${WORD})*[ \\t]*\\}`))),

    // Constant expressions contain only literals; the rules above add symbols.
    expression: ($) => choice($.unary_expression, $.binary_expression, $.conditional_expression, $.cast_expression, $.parenthesised_expression),
    // The hexadecimal form of a single-precision number cannot be an operand of an operator.
    _constant: ($) => choice($._term, alias($._hex_float, $.float)),
    _term: ($) => choice($._literal, alias($._negative_integer, $.integer), alias($._negative_float, $.float), $.expression),
    unary_expression: ($) => prec(UNARY, seq(field('operator', choice('-', '+', '~', '!')), field('operand', $._term))),
    binary_expression: ($) => choice(...BINARY.flatMap((operators, level) => operators.map((operator) => prec.left(level + 1,
      seq(field('left', $._term), field('operator', operator === PERCENT ? alias($._percent, PERCENT) : operator), field('right', $._term)))))),
    conditional_expression: ($) => prec.right(0, seq(
      field('condition', $._term), '?', field('then', $._constant), ':', field('else', $._term))),
    cast_expression: ($) => prec(UNARY, seq('(', $._type, ')', field('operand', $._term))),
    parenthesised_expression: ($) => seq('(', $._constant, ')'),

    _literal: ($) => choice($.integer, $.float, $.warp_size),
    _count: ($) => choice($.integer, $.warp_size, seq(choice($.float, $._reserved_prefix), alias($._never, $.integer))),
    warp_size: () => 'WARP_SZ',
    name: () => pattern(WORD),
    integer: () => pattern(INTEGER),
    float: () => pattern(FLOAT),
    _hex_float: () => pattern(HEX_FLOAT),
    // A sign directly before a number is part of it: one leaf instead of three nodes.
    _negative_integer: () => pattern(`-${INTEGER}`),
    _negative_float: () => pattern(`-${FLOAT}`),
    _string: ($) => choice($.string, alias($._wrapped_string, $.string)),
    string: () => pattern('"[\\x01-\\x09\\x0b-!#-\\x7f]*"'),

    comment: () => token(choice(pattern('//[^\\n]*'), pattern('/\\*[^*]*\\*+(?:[^/*][^*]*\\*+)*/'))),
    line_marker: () => token(pattern(LINE_MARKER)),
    // One token; otherwise a part of it that is not reserved would be one.
    _reserved_word: () => token(pattern(RESERVED.join('|'))),
    _reserved_prefix: () => token(pattern('WARP_SZ[A-Za-z0-9_$]+')),
    dotted_word: () => /\.[A-Za-z][A-Za-z0-9_$]*/,
    _glued_word: () => token(pattern(GLUED_WORD)),
  },
});
