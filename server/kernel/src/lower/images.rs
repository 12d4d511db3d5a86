//! Textures and surfaces.

use crate::lower::function::FunctionLowering;
use crate::lower::opcode::{InstructionWords, type_bits};
use crate::lower::operands::ConstantKind;
use program::{
    CoordinateKind, HasLayers, ImageAction, ImageCoordinates, ImageGeometry, ImageInstruction, ImageQuery,
    MachineAction, OutsideSurface, Source, SurfaceAccess,
};
use syntax::Operand;

/// The modifiers of texture reads that are emulated, beside those that name a geometry.
const READ_WORDS: [&str; 4] = ["v4", "u32", "s32", "f32"];

/// `tex` without a sampler, an offset or a level of detail.
pub fn texture_read(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let is_known = |word: &String| READ_WORDS.contains(&&**word) || ImageGeometry::parse(word).is_some();
    let [to, from] = operands else { return None };
    if !words.has("v4") || !words.modifiers.iter().all(is_known) {
        return None;
    }
    let kind = match words.last() {
        "s32" => CoordinateKind::Integer,
        _ => CoordinateKind::Float,
    };
    let (handle, coordinates) = handle_and_coordinates(lowering, words, from)?;
    let elements = lowering.destinations(to, 32)?;
    emit_image(lowering, handle, ImageAction::Read { coordinates, kind, elements })
}

/// `suld.b` and `sust.b`
pub fn surface_access(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let [first, second] = operands else { return None };
    let outsides = [("trap", OutsideSurface::Trap), ("clamp", OutsideSurface::Clamp), ("zero", OutsideSurface::Zero)];
    let outside = words.one_of(&outsides).unwrap_or(OutsideSurface::Trap);
    let bits = words.modifiers.iter().filter(|word| *word != "b").rev().find_map(|word| type_bits(word))?;
    if !words.has("b") {
        return None;
    }
    let is_load = words.mnemonic == "suld";
    let (image, registers) = if is_load { (second, first) } else { (first, second) };
    let (handle, coordinates) = handle_and_coordinates(lowering, words, image)?;
    let access = SurfaceAccess { coordinates, element_bytes: bits / 8, outside };
    let action = match is_load {
        true => ImageAction::Load(access, lowering.destinations(registers, bits)?),
        false => ImageAction::Store(access, lowering.sources(registers, bits, ConstantKind::Bits)?),
    };
    emit_image(lowering, handle, action)
}

/// `txq` and `suq` of a size.
pub fn image_query(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operands: &[Operand],
) -> Option<()> {
    let [to, from] = operands else { return None };
    let sizes = [("width", ImageQuery::Width), ("height", ImageQuery::Height), ("depth", ImageQuery::Depth)];
    let query = words.one_of(&sizes).filter(|_| !words.has("level"))?;
    let address = from.address()?;
    let handle = lower_handle(lowering, &address.base)?;
    let destination = lowering.destination(to)?;
    emit_image(lowering, handle, ImageAction::Query(destination, query))
}

fn emit_image(lowering: &mut FunctionLowering<'_, '_>, handle: Source, action: ImageAction) -> Option<()> {
    lowering.emit(MachineAction::Image(Box::new(ImageInstruction { handle, action })));
    Some(())
}

/// A handle in a register. Variables of the types `.texref` and `.surfref` have none.
fn lower_handle(lowering: &mut FunctionLowering<'_, '_>, operand: &Operand) -> Option<Source> {
    lowering.register(operand).map(|register| Source::Register(register.slot))
}

/// `[handle, {x, y}]`: with layers the layer is written first, and what is written after the coordinates is not used.
fn handle_and_coordinates(
    lowering: &mut FunctionLowering<'_, '_>,
    words: &InstructionWords,
    operand: &Operand,
) -> Option<(Source, ImageCoordinates)> {
    let geometry = words.modifiers.iter().find_map(|word| ImageGeometry::parse(word))?;
    let parts = operand.address_parts();
    let [handle, coordinates] = &parts[..] else { return None };
    let handle = lower_handle(lowering, handle)?;
    let kind = if words.last() == "f32" { ConstantKind::Single } else { ConstantKind::Bits };
    let mut values = lowering.sources(coordinates, 32, kind)?;
    let layers = usize::from(geometry.has_layers == HasLayers::Yes);
    let used = layers + usize::from(geometry.dimensions);
    if values.len() < used {
        return None;
    }
    values.truncate(used);
    values.rotate_left(layers);
    Some((handle, ImageCoordinates { geometry, values }))
}
