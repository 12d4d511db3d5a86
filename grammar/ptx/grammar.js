/**
 * PTX as the assembler reads it.
 *
 * Shapes only: directives are syntax and stand here by name, instruction mnemonics never do. An opcode is one leaf
 * with all its modifiers, an operand is one leaf wherever it is written in the usual way; consumers split leaves where
 * they need parts. Node count decides parse speed, so the usual spelling of an address, a vector or a guard is one
 * token, and a structured form of the same node takes every other spelling (comments inside, wrapped lines).
 */

const commaSep1 = (rule) => seq(rule, repeat(seq(',', rule)));
const commaSep = (rule) => optional(commaSep1(rule));

const NAME = /[A-Za-z][A-Za-z0-9_$]*|[%_$][A-Za-z0-9_$]+/;
const WORD = '(?:[A-Za-z][A-Za-z0-9_$]*|[%_$][A-Za-z0-9_$]+)';
const SINK_OR_WORD = '(?:[A-Za-z][A-Za-z0-9_$]*|[%_$][A-Za-z0-9_$]*)';
const BLANK = '[ \\t\\r\\n\\f\\v]*';
const NUMBER = '-?(?:0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|[0-9]+U?)';
const FLOAT = '-?(?:0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16})';

const COMMENT = '(?://[^\\n]*\\n|/\\*[^*]*\\*+(?:[^/*][^*]*\\*+)*/)';

const pattern = (source) => new RustRegex(source);

const BINARY = [
  ['||', 1], ['&&', 2], ['|', 3], ['^', 4], ['&', 5], ['==', 6], ['!=', 6], ['<', 7], ['<=', 7], ['>', 7], ['>=', 7],
  ['<<', 8], ['>>', 8], ['+', 9], ['-', 9], ['*', 10], ['/', 10], ['%', 10],
];

module.exports = grammar({
  name: 'ptx',

  extras: ($) => [/[ \t\r\n\f\v]/, $.comment, $.line_marker],

  word: ($) => $._dot_word,

  supertypes: ($) => [$.item, $.statement, $.declaration, $.operand, $.expression, $.literal],

  rules: {
    module: ($) => repeat($.item),

    item: ($) => choice(
      $.version_directive, $.target_directive, $.address_size_directive, $.file_directive, $.section,
      $.pragma_directive, $.alias_directive, $.loc_directive, $.dwarf_directive,
      $.variable_declaration, $.function,
    ),

    // Module directives.
    version_directive: ($) => seq('.version', field('number', $.version)),
    version: () => /[0-9]+\.[0-9]+/,
    target_directive: ($) => seq('.target', commaSep1(field('name', $.name))),
    address_size_directive: ($) => seq('.address_size', field('bits', $.integer)),
    file_directive: ($) => seq('.file', field('index', $.integer), field('path', $.string),
      optional(seq(',', field('timestamp', $.integer), ',', field('size', $.integer)))),
    loc_directive: ($) => prec.right(seq('.loc', field('file', $.integer), field('line', $.integer), field('column', $.integer),
      optional(seq(',', field('attribute', $._loc_function), optional(seq(',', field('inlined_at', $._loc_inlined)))))),
    ),
    _loc_function: ($) => seq($.name, $.expression),
    _loc_inlined: ($) => seq($.name, $.integer, $.integer, $.integer),
    pragma_directive: ($) => seq('.pragma', commaSep1(field('value', $.string)), ';'),
    alias_directive: ($) => seq('.alias', field('alias', $.name), ',', field('aliasee', $.name), ';'),
    dwarf_directive: ($) => seq(token(/@@[dD][wW][aA][rR][fF]/), $.section_data),

    section: ($) => seq('.section', field('name', alias($._dot_word, $.section_name)), field('body', $.section_body)),
    section_body: ($) => seq('{', repeat(choice($.label, $.section_data)), '}'),
    section_data: ($) => seq($.type, commaSep1($._section_value)),
    _section_value: ($) => choice($.integer, $._section_base, $.section_offset),
    _section_base: ($) => choice($.name, alias($._dot_word, $.section_name)),
    section_offset: ($) => seq($._section_base, choice('+', '-'), choice($.integer, $.name)),

    // Variables.
    declaration: ($) => choice($.variable_declaration, $.register_declaration),
    register_declaration: ($) => seq('.reg', repeat($._variable_attribute), field('type', $.type),
      commaSep(field('declarator', $.register_declarator)), ';'),
    register_declarator: ($) => seq(field('name', $.name), optional(seq('<', field('count', $.integer), '>'))),

    variable_declaration: ($) => seq(repeat(field('linkage', $.linkage)), field('space', $.space), repeat($._variable_attribute),
      field('type', $.type), commaSep(field('declarator', $.declarator)), ';'),
    linkage: () => choice('.extern', '.visible', '.weak', '.common'),
    space: () => choice('.global', '.const', '.shared', '.local', '.param', '.tex', '.surf', '.sampler'),
    _variable_attribute: ($) => choice(
      field('alignment', $.alignment), field('vector', $.vector_size), field('attribute', $.attribute)),
    alignment: ($) => seq('.align', field('bytes', $.integer)),
    vector_size: () => choice('.v2', '.v4', '.v8'),
    attribute: ($) => seq('.attribute', '(', commaSep1($._attribute_value), ')'),
    _attribute_value: ($) => seq($._dot_word, optional(seq('(', commaSep1($.integer), ')'))),
    type: () => choice(
      '.b8', '.b16', '.b32', '.b64', '.b128', '.u8', '.u16', '.u32', '.u64', '.s8', '.s16', '.s32', '.s64',
      '.f16', '.f16x2', '.f32', '.f64', '.pred', '.texref', '.samplerref', '.surfref'),
    declarator: ($) => seq(field('name', $.name), repeat(field('dimension', $.dimension)),
      optional(seq('=', field('value', $._initialiser)))),
    dimension: ($) => seq('[', optional(field('size', $.expression)), ']'),
    _initialiser: ($) => choice($.expression, alias($._initialiser_token, $.initialiser_list), $.initialiser_list),
    initialiser_list: ($) => seq('{', commaSep($._initialiser), '}'),
    _initialiser_token: () => token(prec(1, pattern(
      `\\{${BLANK}(?:${FLOAT}|${NUMBER}|${WORD})(?:${BLANK},${BLANK}(?:${FLOAT}|${NUMBER}|${WORD}))*${BLANK}\\}`))),

    // Functions.
    function: ($) => seq(
      repeat(field('linkage', $.linkage)), field('kind', $.function_kind),
      repeat(field('attribute', choice($.attribute, alias('.noreturn', $.performance_directive)))),
      optional(field('returns', $.parameters)), field('name', $.name), optional(field('parameters', $.parameters)),
      repeat(field('directive', $.performance_directive)), field('body', choice($.block, ';'))),
    function_kind: () => choice('.entry', '.func'),
    parameters: ($) => seq('(', commaSep($.parameter), ')'),
    parameter: ($) => seq(field('space', choice($.space, alias('.reg', $.space))), repeat($._variable_attribute), field('type', $.type),
      optional(field('pointer', $.pointer)), repeat($._variable_attribute), optional(field('name', choice($.name, $.sink))), repeat(field('dimension', $.dimension))),
    pointer: ($) => seq('.ptr', optional(field('space', $.space))),
    performance_directive: ($) => choice(
      seq(choice('.maxnreg', '.maxntid', '.reqntid', '.minnctapersm', '.maxnctapersm', '.reqnctapercluster', '.maxclusterrank'),
        commaSep1(field('value', $.integer))),
      '.explicitcluster', '.blocksareclusters', '.noreturn', '.abi_preserve', $.pragma_directive),

    // Code.
    block: ($) => seq('{', repeat($.statement), repeat($.basic_block), '}'),
    basic_block: ($) => prec.right(seq(repeat1($.label), repeat($.statement))),
    // One token, colon included: the parser must know a label at once to end the basic block before it.
    label: () => token(pattern(`${WORD}(?:[ \\t\\r\\n\\f\\v]|${COMMENT})*:`)),

    statement: ($) => choice(
      $.instruction, $.block, $.declaration, $.loc_directive, $.pragma_directive,
      $.call_prototype, $.call_targets, $.branch_targets),

    call_prototype: ($) => seq('.callprototype', optional(field('returns', $.parameters)), $.sink, optional(field('parameters', $.parameters)), ';'),
    call_targets: ($) => seq('.calltargets', commaSep1(field('target', $.name)), ';'),
    branch_targets: ($) => seq('.branchtargets', commaSep1(field('target', $.name)), ';'),

    instruction: ($) => seq(
      optional(field('guard', choice(alias($._guard_token, $.guard), $.guard))),
      field('opcode', $.opcode), commaSep(field('operand', $.operand)), ';'),
    guard: ($) => seq('@', optional('!'), field('predicate', $.name)),
    _guard_token: () => token(prec(1, pattern(`@!?${WORD}`))),

    opcode: () => token(pattern(`${WORD}(?:\\.[A-Za-z0-9_]+(?:::[A-Za-z0-9_.]+)*)*`)),

    operand: ($) => choice(
      $.expression, $.sink, $.predicate_pair,
      alias($._address_token, $.address), $.address,
      alias($._vector_token, $.vector), $.vector, $.argument_list),
    sink: () => '_',
    predicate_pair: ($) => prec(4, seq($.name, '|', choice($.name, $.sink))),
    address: ($) => seq('[', commaSep1($.operand), ']'),
    _address_token: () => token(prec(1, pattern(`\\[${WORD}(?:\\+${NUMBER})?\\]`))),
    vector: ($) => seq('{', commaSep($.operand), '}'),
    _vector_token: () => token(prec(1, pattern(
      `\\{${BLANK}(?:${FLOAT}|${NUMBER}|${SINK_OR_WORD})(?:${BLANK},${BLANK}(?:${FLOAT}|${NUMBER}|${SINK_OR_WORD}))*${BLANK}\\}`))),
    argument_list: ($) => prec(1, seq('(', commaSep(choice($.expression, $.sink)), ')')),

    // Constant expressions.
    expression: ($) => choice(
      $.name, $.literal, alias($._element_token, $.element), $.element, $.subscript, $.unary_expression, $.binary_expression,
      $.conditional_expression, $.cast_expression, $.parenthesised_expression, $.generic_expression),
    literal: ($) => choice($.integer, $.float),
    element: ($) => seq($.name, $._dot_word),
    _element_token: () => token(pattern(`${WORD}\\.[A-Za-z0-9_]+`)),
    subscript: ($) => prec(20, seq(field('name', $.name), '[', field('index', $.expression), ']')),
    generic_expression: ($) => prec(20, seq(field('operator', $.name), '(', $.expression, ')')),
    unary_expression: ($) => prec(12, seq(field('operator', choice('-', '+', '~', '!')), field('operand', $.expression))),
    binary_expression: ($) => choice(...BINARY.map(([operator, level]) => prec.left(level,
      seq(field('left', $.expression), field('operator', operator), field('right', $.expression))))),
    conditional_expression: ($) => prec.right(0, seq(field('condition', $.expression), '?', field('then', $.expression), ':', field('else', $.expression))),
    cast_expression: ($) => prec(12, seq('(', field('type', $.type), ')', field('operand', $.expression))),
    parenthesised_expression: ($) => seq('(', $.expression, ')'),

    name: () => NAME,
    integer: () => token(choice(/0[xX][0-9a-fA-F]+U?/, /0[bB][01]+U?/, /0[0-7]*U?/, /[1-9][0-9]*U?/)),
    float: () => token(choice(/0[fF][0-9a-fA-F]{8}/, /0[dD][0-9a-fA-F]{16}/, /[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?/, /\.[0-9]+([eE][+-]?[0-9]+)?/, /[0-9]+[eE][+-]?[0-9]+/)),
    string: () => token(/"[^"\n]*"/),

    comment: () => token(choice(pattern('//[^\\n]*'), pattern('/\\*[^*]*\\*+(?:[^/*][^*]*\\*+)*/'))),
    line_marker: () => token(prec(-1, /#[^\n]*/)),
    _dot_word: () => /\.[A-Za-z_][A-Za-z0-9_$]*/,
  },
});
