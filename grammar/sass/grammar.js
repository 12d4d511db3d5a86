/**
 * SASS, the machine code of the GPU, as disassemblers print it and as people write it.
 *
 * Accepts the output of `nvdisasm` (with or without encodings, life ranges, line information, data sections), the output of
 * `cuobjdump -sass`, and single instructions in the older syntax (`RED.E.MIN.U32 [R0-400], R5 &req={0} ?WAIT2;`).
 * There are no mnemonics, no registers, and no directive except `.section`. An opcode with all its modifiers is one leaf.
 * Every line is parsed on its own: an error in one line does not affect another.
 */

const pattern = (source) => new RustRegex(source);

const MODIFIERS = '(?:\\.[A-Za-z0-9_]+)';

module.exports = grammar({
  name: 'sass',

  extras: ($) => [/[ \t\r\f]/, $.offset, $.encoding, $.annotation, $.comment],

  supertypes: ($) => [$.operand],

  rules: {
    listing: ($) => seq(optional($._line), optional($._body), repeat(choice($.section, $.function, $.image))),

    // The end of a line, and further lines.
    _body: ($) => prec.right(repeat1(seq('\n', optional($._line)))),

    /** A section of the image, up to the next one. */
    section: ($) => seq(token(prec(3, pattern('\\.section[ \\t]'))), field('name', alias($._symbol, $.name)), optional($.arguments), optional($._body)),
    /** The code of one function as cuobjdump heads it. */
    function: ($) => seq(token(prec(2, pattern('Function[ \\t]*:'))), field('name', alias($._symbol, $.name)), optional($._body)),
    /** What cuobjdump says before the code for one architecture. */
    image: ($) => seq(token(prec(2, pattern('code[ \\t]+for'))), field('target', alias($.register, $.name)), optional($._body)),

    _line: ($) => choice(
      seq(repeat1($.label), optional($._content)),
      $._content,
    ),
    _content: ($) => choice($.directive, repeat1($.instruction), $.property, $.rule),

    /** `arch = sm_90`, `Fatbin elf code:` and the like, of cuobjdump's headings. */
    property: () => token(prec(2, pattern('[a-z][a-z_ ]*= [^\\n]*|Fatbin [a-z ]+:'))),
    rule: () => token(pattern('===+|\\.\\.\\.\\.+')),

    label: () => token(prec(2, pattern('[.$A-Za-z_][\\w.$@]*:'))),

    directive: ($) => seq(field('name', $.directive_name), optional($.arguments)),
    directive_name: () => token(prec(1, pattern('\\.[A-Za-z_][\\w.]*'))),
    arguments: ($) => repeat1(choice($.string, $.integer, alias($._symbol, $.name), $.tag, '(', ')', ',', '+', '-', '*', '=')),
    /** `@function`, `@progbits`, `@srel`. */
    tag: () => token(pattern('@[\\w.$]+')),
    string: () => token(pattern('@?"[^"\\n]*"')),
    _symbol: () => token(pattern('[.$A-Za-z_][\\w.$]*@?')),

    instruction: ($) => seq(
      optional('{'),
      optional(field('control', $.control_code)),
      optional(field('guard', $.guard)),
      field('opcode', $.opcode),
      optional($._operands),
      repeat(field('control', $.control)),
      ';',
      optional('}'),
    ),
    _operands: ($) => seq($.operand, repeat(seq(optional(','), $.operand))),

    guard: () => token(pattern('@!?[A-Z]\\w*')),
    opcode: () => token(prec(1, pattern(`[A-Z][A-Za-z0-9_]*${MODIFIERS}*`))),

    /** `&req={0,1}`, `&rd=0x0`, `?WAIT2`: barriers and scheduling behind the operands. */
    control: () => token(pattern('&\\w+(?:=(?:\\{[^}\\n]*\\}|\\w+))?|\\?\\w+')),
    /** The same before the opcode, as assemblers of the community write it: `--:-:0:Y:2`, `[B0-----:R-:W1:-:S02]`. */
    control_code: () => token(prec(2, pattern('[0-9A-Fa-f-]{2}:[0-9-]:[0-9-]:[Yy-]:[0-9A-Fa-f]+|\\[B[0-9-]{6}:R[0-9-]:W[0-9-]:[Yy-]:S[0-9]+\\]'))),

    operand: ($) => choice($.register, $.integer, $.float, $.address, $.bank, $.label_reference, $.negation, $.magnitude, $.relocation, $.set),

    /** A register, predicate, barrier or special value by its name, with what selects a part of it. */
    register: () => token(pattern(`[A-Za-z_]\\w*${MODIFIERS}*|[0-9][A-Z]\\w*`)),

    integer: () => token(pattern('-?(?:0[xX][0-9a-fA-F]+|[0-9]+)')),
    float: () => token(pattern('[+-]?(?:[0-9]+\\.[0-9]*(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|INF|QNAN|SNAN)')),

    /** `[R2.64+0x10]`, `[R0 - 400]`, `[UR4+-0x84]`. */
    address: ($) => seq('[', $._terms, ']', optional($.selector)),
    _terms: ($) => seq($._term, repeat(seq(choice('+', '-'), $._term))),
    _term: ($) => choice($.register, $.integer, seq('-', $.register)),
    /** `c[0x0][0x28]`, `desc[UR4][R2.64]`: a named window and the address in it. */
    bank: ($) => seq(
      field('name', $.register), token.immediate('['), $._terms, ']',
      optional(seq(token.immediate('['), field('address', alias($._terms, $.address)), ']')),
      optional($.selector),
    ),
    selector: () => token.immediate(pattern(`${MODIFIERS}+`)),

    /** `` `(.L_x_0) `` */
    label_reference: () => token(pattern('`\\([^)\\n]*\\)')),
    negation: ($) => seq(choice('-', '!', '~', '+'), $.operand),
    magnitude: ($) => seq('|', $.operand, '|', optional($.selector)),
    /** `32@lo((k + .L_x_1@srel))` */
    relocation: () => token(pattern('[0-9]+@\\w+\\((?:\\([^()\\n]*\\)|[^()\\n]*)\\)')),
    /** `{0,1}` */
    set: ($) => seq('{', $.integer, repeat(seq(',', $.integer)), '}'),

    /** The place of an instruction or datum: `/*00a0*`+`/`. */
    offset: () => token(prec(3, pattern('/\\*[0-9a-f]{4,}\\*/'))),
    /** Its bits. */
    encoding: () => token(prec(3, pattern('/\\* 0x[0-9a-f]+ \\*/'))),
    /** `(*"BRANCH_TARGETS .L_x_1"*)` */
    annotation: () => token(pattern('\\(\\*[^\\n]*\\*\\)')),
    comment: () => token(prec(1, pattern('//[^\\n]*|/\\*[^*]*\\*+(?:[^/*][^*]*\\*+)*/'))),
  },
});
