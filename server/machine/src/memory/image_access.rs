//! Reads of textures, and accesses to surfaces, as an H100 does them.

use crate::memory::global::{AllocationKind, GlobalPlace};
use crate::memory::locate::{MachineAccess, MemoryPlace};
use crate::memory::unknown_results;
use crate::recording::recorded_access::RecordedAccess;
use crate::threads::executor::Executor;
use crate::threads::undefined_bits::{UndefinedBits, UndefinedCause};
use isa::types::Type;
use ordering::WriteEffect;
use program::lanes::lanes_of;
use program::memory::image::{
    CoordinateKind, IMAGE_BYTES, Image, ImageAction, ImageCoordinates, ImageInstruction, ImageMemory, ImageMistake,
    ImageQuery, ImageUsage, OutsideSurface, SurfaceAccess, TextureAddressing, TextureValue,
};
use program::operand::{AccessOrder, Destination, MemorySpace, Source};
use program::problem::{MachineAccessKind, ProblemKind};
use program::proxy::AccessProxy;
use values::scalar::FloatFormat;

/// The channels of what a texture read returns.
const CHANNELS: usize = 4;

/// Executes an instruction on an image in each active lane.
pub fn image(executor: &mut Executor<'_, '_>, instruction: &ImageInstruction, active: u32) {
    executor.require_defined(instruction.handle, active);
    for source in instruction.action.sources() {
        executor.require_defined(*source, active);
    }
    for lane in lanes_of(active) {
        let handle = executor.values(instruction.handle)[lane];
        let done = image_of(executor, handle, &instruction.action).and_then(|image| {
            image_lane(executor, &image, &instruction.action, lane)
                .map_err(|mistake| ProblemKind::Image { mistake, handle })
        });
        if let Err(problem) = done {
            executor.report(problem, lane);
            for destination in instruction.action.destinations() {
                executor.set_lane(destination, lane, 0);
            }
        }
    }
}

/// The image of a handle, if it is one for an instruction.
fn image_of(executor: &mut Executor<'_, '_>, handle: u64, action: &ImageAction) -> Result<Image, ProblemKind> {
    let mistake = |mistake| Err(ProblemKind::Image { mistake, handle });
    let place = executor.machine.memory.find(handle, IMAGE_BYTES as u64, 0);
    let image = place.and_then(|place| {
        let allocation = &executor.machine.memory.allocations()[place.allocation];
        // The host makes descriptions where kernels cannot. The bytes of a constant variable may still look like one.
        let is_constant = allocation.kind == AllocationKind::Constant;
        let bytes = &allocation.region.bytes()[place.offset..place.offset + IMAGE_BYTES];
        Image::of_bytes(bytes).filter(|_| is_constant)
    });
    let Some(image) = image else { return mistake(ImageMistake::NoImage) };
    let usage = match action {
        ImageAction::Read { .. } => ImageUsage::Texture,
        ImageAction::Load(..) | ImageAction::Store(..) => ImageUsage::Surface,
        ImageAction::Query(..) => image.usage,
    };
    if usage != image.usage {
        return mistake(ImageMistake::Usage(image.usage));
    }
    let expected = action.coordinates().map(|coordinates| coordinates.geometry);
    match expected.filter(|expected| *expected != image.geometry()) {
        Some(expected) => mistake(ImageMistake::Geometry { expected, found: image.geometry() }),
        None => Ok(image),
    }
}

fn image_lane(
    executor: &mut Executor<'_, '_>,
    image: &Image,
    action: &ImageAction,
    lane: usize,
) -> Result<(), ImageMistake> {
    match action {
        ImageAction::Read { coordinates, kind, elements } => {
            let place = match kind {
                CoordinateKind::Integer => integer_place(executor, image, coordinates, lane)?,
                CoordinateKind::Float => float_place(executor, image, coordinates, lane),
            };
            read_texture(executor, image, place, elements, lane);
        }
        ImageAction::Load(access, elements) => load_surface(executor, image, access, elements, lane)?,
        ImageAction::Store(access, elements) => store_surface(executor, image, access, elements, lane)?,
        ImageAction::Query(destination, query) => executor.set_lane(*destination, lane, answer(image, *query).into()),
    }
    Ok(())
}

fn pixel(executor: &Executor<'_, '_>, coordinates: &ImageCoordinates, lane: usize) -> Vec<u32> {
    coordinates.values.iter().map(|one| executor.values(*one)[lane] as u32).collect()
}

/// The element at integer coordinates; `None` outside.
fn integer_place(
    executor: &Executor<'_, '_>,
    image: &Image,
    coordinates: &ImageCoordinates,
    lane: usize,
) -> Result<Option<u64>, ImageMistake> {
    if image.sizes.len() == 1 && image.memory != ImageMemory::Linear {
        return Err(ImageMistake::NotLinear);
    }
    let at = pixel(executor, coordinates, lane);
    let is_inside = at.iter().zip(&image.sizes).all(|(at, size)| at < size);
    Ok(is_inside.then(|| element_number(image, &at)))
}

/// The element at coordinates of floating-point type; `None` outside.
fn float_place(executor: &Executor<'_, '_>, image: &Image, coordinates: &ImageCoordinates, lane: usize) -> Option<u64> {
    let mut at = pixel(executor, coordinates, lane);
    let layers = usize::from(image.memory == ImageMemory::Layers);
    let dimensions = image.sizes.len() - layers;
    let mut is_inside = true;
    for (at, size) in at.iter_mut().zip(&image.sizes).take(dimensions) {
        // What is no number counts as zero, in this conversion as on an H100.
        let below = f64::from(f32::from_bits(*at)).floor() as i64;
        is_inside &= (0..i64::from(*size)).contains(&below);
        *at = below.clamp(0, i64::from(*size) - 1) as u32;
    }
    // The layer is an integer without a sign.
    at.iter_mut().zip(&image.sizes).skip(dimensions).for_each(|(at, size)| *at = (*at).min(size - 1));
    (is_inside || image.addressing == TextureAddressing::Clamp).then(|| element_number(image, &at))
}

fn read_texture(
    executor: &mut Executor<'_, '_>,
    image: &Image,
    number: Option<u64>,
    elements: &[Option<Destination>],
    lane: usize,
) {
    let bytes = image.element_bytes();
    let place = number.and_then(|number| {
        let offset = number * bytes;
        Some((offset, image_place(executor, image, offset, bytes, MachineAccessKind::Read)?))
    });
    let Some((offset, place)) = place else {
        return elements.iter().flatten().for_each(|destination| executor.set_lane(*destination, lane, 0));
    };
    let size = image.channel.bits() / 8;
    for (channel, destination) in elements.iter().enumerate().take(CHANNELS) {
        let Some(destination) = destination else { continue };
        if channel >= usize::from(image.channels) {
            executor.set_lane(*destination, lane, 0);
            continue;
        }
        let (at, address) = (channel as u32 * size, image.address + offset);
        let (value, undefined) = image_bytes(executor, place, (at, size), address, lane);
        executor.set_lane(*destination, lane, texture_value(image, value));
        undefined.into_iter().for_each(|undefined| executor.set_undefined(*destination, lane, undefined));
    }
    let access = (image.address + offset, size, image.channels.into());
    record_image(executor, place, access, (MachineAccessKind::Read, WriteEffect::None), AccessProxy::Texture, lane);
}

/// The offset of an access to a surface; `None` if it has no effect.
fn surface_offset(
    executor: &Executor<'_, '_>,
    image: &Image,
    access: &SurfaceAccess,
    registers: usize,
    lane: usize,
) -> Result<Option<u64>, ImageMistake> {
    let bytes = access.element_bytes * registers as u32;
    let mut at = pixel(executor, &access.coordinates, lane);
    let row = u64::from(image.sizes[0]) * image.element_bytes();
    let coordinate = at[0] as i32;
    if coordinate % bytes as i32 != 0 {
        return Err(ImageMistake::Misaligned { coordinate, bytes });
    }
    let has_layers = image.memory == ImageMemory::Layers;
    let last = |number: usize| match number {
        0 => row as i64 - i64::from(bytes),
        _ => i64::from(image.sizes[number]) - 1,
    };
    for (number, at) in at.iter_mut().enumerate() {
        let is_layer = has_layers && number + 1 == image.sizes.len();
        let value = if is_layer { i64::from(*at) } else { i64::from(*at as i32) };
        if (0..=last(number)).contains(&value) {
            continue;
        }
        match access.outside {
            OutsideSurface::Trap => return Err(ImageMistake::Outside(number as u8, *at as i32)),
            OutsideSurface::Zero => return Ok(None),
            // It is wider than a row.
            OutsideSurface::Clamp if last(number) < 0 => {
                return Err(ImageMistake::Outside(number as u8, *at as i32));
            }
            OutsideSurface::Clamp => *at = value.min(last(number)).max(0) as u32,
        }
    }
    let sizes = image.sizes[1..].iter().zip(&at[1..]).rev();
    let rows = sizes.fold(0, |rows, (size, at)| rows * u64::from(*size) + u64::from(*at));
    Ok(Some(rows * row + u64::from(at[0])))
}

fn load_surface(
    executor: &mut Executor<'_, '_>,
    image: &Image,
    access: &SurfaceAccess,
    elements: &[Option<Destination>],
    lane: usize,
) -> Result<(), ImageMistake> {
    let size = access.element_bytes;
    let bytes = u64::from(size) * elements.len() as u64;
    let offset = surface_offset(executor, image, access, elements.len(), lane)?;
    let kind = MachineAccessKind::Read;
    let place = offset.and_then(|offset| Some((offset, image_place(executor, image, offset, bytes, kind)?)));
    let Some((offset, place)) = place else {
        elements.iter().flatten().for_each(|destination| executor.set_lane(*destination, lane, 0));
        return Ok(());
    };
    for (number, destination) in elements.iter().enumerate() {
        let Some(destination) = destination else { continue };
        let (at, address) = (number as u32 * size, image.address + offset);
        let (value, undefined) = image_bytes(executor, place, (at, size), address, lane);
        executor.set_lane(*destination, lane, value);
        undefined.into_iter().for_each(|undefined| executor.set_undefined(*destination, lane, undefined));
    }
    let access = (image.address + offset, size, elements.len() as u32);
    record_image(executor, place, access, (kind, WriteEffect::None), AccessProxy::Surface, lane);
    Ok(())
}

fn store_surface(
    executor: &mut Executor<'_, '_>,
    image: &Image,
    access: &SurfaceAccess,
    elements: &[Source],
    lane: usize,
) -> Result<(), ImageMistake> {
    let size = access.element_bytes;
    let bytes = u64::from(size) * elements.len() as u64;
    let offset = surface_offset(executor, image, access, elements.len(), lane)?;
    let kind = MachineAccessKind::Write;
    let place = offset.and_then(|offset| Some((offset, image_place(executor, image, offset, bytes, kind)?)));
    let Some((offset, place)) = place else { return Ok(()) };
    let mut effect = WriteEffect::None;
    for (number, source) in elements.iter().enumerate() {
        let value = executor.values(*source)[lane];
        effect = effect.max(executor.write(place, number as u32 * size, size, value, lane));
    }
    let access = (image.address + offset, size, elements.len() as u32);
    record_image(executor, place, access, (kind, effect), AccessProxy::Surface, lane);
    Ok(())
}

/// The place of bytes of an image in memory.
fn image_place(
    executor: &mut Executor<'_, '_>,
    image: &Image,
    offset: u64,
    size: u64,
    kind: MachineAccessKind,
) -> Option<MemoryPlace> {
    let address = image.address + offset;
    let access = MachineAccess { space: MemorySpace::Global, address, size, kind };
    executor.locate(access, 1).ok().filter(|place| matches!(place, MemoryPlace::Global(GlobalPlace { .. })))
}

/// Bytes at an offset from a place with an address, and whether a register that gets them is undefined.
fn image_bytes(
    executor: &mut Executor<'_, '_>,
    place: MemoryPlace,
    (offset, size): (u32, u32),
    address: u64,
    lane: usize,
) -> (u64, Option<UndefinedBits>) {
    let (value, is_defined) = executor.read(place, offset, size, lane);
    let uninitialized = || {
        let (address, space) = (address + u64::from(offset), place.space_name());
        let kind = ProblemKind::UninitializedMemory { address, size: size.into(), space };
        (UndefinedCause::Problem(kind), executor.place())
    };
    let read = match unknown_results::unknown_at(executor, place, offset, size) {
        Some(result) => Some((UndefinedCause::Result, result)),
        None => (!is_defined).then(uninitialized),
    };
    (value, read.map(|read| UndefinedBits { bits: u64::MAX, reads: vec![read] }))
}

fn record_image(
    executor: &mut Executor<'_, '_>,
    place: MemoryPlace,
    (address, element, count): (u64, u32, u32),
    (kind, effect): (MachineAccessKind, WriteEffect),
    proxy: AccessProxy,
    lane: usize,
) {
    let order = AccessOrder::WEAK;
    executor.record(RecordedAccess { place, address, element, count, kind, order, effect, proxy }, lane);
}

/// The number of the element at coordinates that are inside.
fn element_number(image: &Image, at: &[u32]) -> u64 {
    let sizes = image.sizes.iter().zip(at).rev();
    sizes.fold(0, |number, (size, at)| number * u64::from(*size) + u64::from(*at))
}

/// A channel as a texture read returns it: what the texture holds decides, not the type of the instruction.
fn texture_value(image: &Image, bits: u64) -> u64 {
    let single = |value: f64| u64::from((value as f32).to_bits());
    let signed = (bits << (64 - image.channel.bits())) as i64 >> (64 - image.channel.bits());
    let largest = (1_u64 << (image.channel.bits() - 1)) as f64 - 1.0;
    match (image.channel, image.value) {
        (Type::U8 | Type::U16, TextureValue::Normalized) => single(bits as f64 / (2.0 * largest + 1.0)),
        (Type::S8 | Type::S16, TextureValue::Normalized) => single((signed as f64 / largest).max(-1.0)),
        (Type::F16, _) => u64::from(half_as_single(bits as u32)),
        (Type::S8 | Type::S16, TextureValue::Element) => u64::from(signed as u32),
        _ => bits,
    }
}

/// A number of 16 bits as one of 32. The bits of what is no number are kept.
fn half_as_single(bits: u32) -> u32 {
    let (sign, magnitude) = ((bits & 0x8000) << 16, bits & 0x7fff);
    let is_nan = magnitude > 0x7c00;
    let number = (FloatFormat::F16.to_f64(magnitude.into()) as f32).to_bits();
    sign | if is_nan { 0x7f80_0000 | magnitude << 13 } else { number }
}

fn answer(image: &Image, query: ImageQuery) -> u32 {
    let size = |at: usize| image.sizes.get(at).copied();
    match query {
        ImageQuery::Width => size(0).unwrap_or_default(),
        // An H100 says that a texture of one dimension has one row, and a surface none.
        ImageQuery::Height => size(1).unwrap_or(u32::from(image.usage == ImageUsage::Texture)),
        ImageQuery::Depth => size(2).unwrap_or_default(),
    }
}
