"""The operands of texture and surface instructions, from the words of an opcode: coordinates and derivatives.

Used to ask the assembler: a wrong number would only show as a form that is refused.
"""

# How many coordinates a geometry has, and with an index of an array before them. Vectors have one, two or four elements.
COORDINATES = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4, "2dms": 4, "a2dms": 4}
INDEXED = ["a1d", "a2d", "acube", "a2dms"]


def geometry(words):
    """The geometry of an opcode."""
    return next((word for word in words if word in COORDINATES), "1d")


def coordinates(words, count=0):
    """The coordinates in braces: floating-point numbers if that is the last type, and an integer as the index of an array."""
    shape = geometry(words)
    bank = "f" if words[-1] == "f32" else "r"
    indexed = shape in INDEXED
    banks = ["r" if at == 0 and indexed else bank for at in range(max(count, COORDINATES[shape]))]
    return "{" + ",".join(f"{bank}{at}" for at, bank in enumerate(banks)) + "}"


def derivatives(words):
    """The derivatives along one axis in braces: one for each coordinate that is no index of an array."""
    count = {"1d": 1, "a1d": 1, "2d": 2, "a2d": 2}.get(geometry(words), 4)
    return "{" + ",".join(f"f{at}" for at in range(count)) + "}"


def fill(shape, opcode):
    """A shape with {x}, {x4} for four coordinates, and {y} for derivatives in place."""
    words = opcode.split(".")
    for name, text in (("{x}", coordinates), ("{x4}", lambda words: coordinates(words, 4)), ("{y}", derivatives)):
        if name in shape:
            shape = shape.replace(name, text(words))
    return shape
