//! Which check an operand of a class has.

use crate::operands::predicate::Discard;
use crate::operands::{
    OperandSite, address, barriers, branches, copies, integers, matrix, moved, predicate, scalar, texture, vector,
    video,
};
use diagnostics::CheckResult;
use isa::types::{Space, Type, TypeKind};
use isa::{CopyClass, GivenModifier, MatrixClass, MoveClass, OperandClass, OperandSpec, Role, SynchronizationClass};
use syntax::{Operand, OperandKind};

impl<'a> OperandSite<'_, 'a> {
    /// Measured: loads and stores accept a single value in braces, those of multimem if it is a floating-point one.
    fn list_of_one(&self, wanted: &OperandSpec, written: &Operand<'a>) -> bool {
        written.kind == OperandKind::Vector
            && match self.legal.family.name {
                "multimem.ld_reduce" | "multimem.st" => wanted.ty.kind() == TypeKind::Float,
                "ld" | "ldu" | "st" => true,
                _ => false,
            }
    }

    /// The space in which an address operand must be.
    pub(super) fn accessed_space(&self, wanted: &OperandSpec) -> GivenModifier<Space> {
        let Some(space) = wanted.space else { return self.legal.space };
        let word = self.legal.word(space).unwrap_or(space);
        GivenModifier { value: Space::parse(word).unwrap_or(Space::Generic), at: self.legal.at(space) }
    }

    /// Checks an operand by its class.
    pub(super) fn operand(&self, wanted: &OperandSpec, written: &Operand<'a>) -> CheckResult {
        match wanted.class {
            OperandClass::Typed | OperandClass::Move(MoveClass::Wider) => {}
            OperandClass::Move(class) => return self.operand_of_move(class, wanted, written),
            OperandClass::Matrix(class) => return self.operand_of_matrix(class, wanted, written),
            OperandClass::Synchronization(class) => return self.operand_of_synchronization(class, wanted, written),
            OperandClass::Copy(class) => return self.operand_of_copy(class, wanted, written),
            OperandClass::Control(class) => return branches::operand(self, class, written),
            OperandClass::Video(class) => return video::operand(self, written, class),
            OperandClass::Texture(class) => return texture::operand(self, written, wanted, class),
            OperandClass::Droppable if written.kind == OperandKind::Sink => return Ok(()),
            OperandClass::Droppable => return scalar::destination(self, written, wanted.ty),
            OperandClass::IntegerResult => return scalar::integer_result(self, written, wanted.ty),
            OperandClass::Count => return scalar::count(self, written),
            OperandClass::Byte => return scalar::byte(self, written),
            OperandClass::Immediate => return scalar::immediate(self, written),
            OperandClass::PredicateRegister if written.kind == OperandKind::Constant => {
                return Err(predicate::constant(written));
            }
            OperandClass::Predicate | OperandClass::PredicateRegister => return predicate::value(self, written),
            OperandClass::PredicateResult => return predicate::result(self, written, Discard::Rejected),
            OperandClass::DroppablePredicate => return predicate::result(self, written, Discard::Allowed),
            OperandClass::PredicatePair => return predicate::pair(self, written),
            OperandClass::WithPredicate => return predicate::with_predicate(self, written, wanted.ty),
            OperandClass::Integer(set) => return scalar::integer(self, written, set),
            OperandClass::PredicateAmong(set) => {
                predicate::value(self, written)?;
                return scalar::in_set(written, set);
            }
            OperandClass::CountAmong(set) => return scalar::count_among(self, written, set),
        }
        self.typed_operand(wanted, written)
    }

    /// Checks an operand that its role and type describe.
    fn typed_operand(&self, wanted: &OperandSpec, written: &Operand<'a>) -> CheckResult {
        match wanted.role {
            Role::Value if wanted.ty == Type::Pred => predicate::operand_of_logic(self, written),
            Role::Address if address::is_opaque_mbarrier(self, written, wanted)? => Ok(()),
            Role::Address => address::check(self, written, self.accessed_space(wanted)),
            Role::Policy => scalar::policy(self, written),
            _ if wanted.lanes > 1 || self.list_of_one(wanted, written) => vector::check(self, written, wanted),
            Role::Destination => scalar::destination_of(self, written, wanted),
            Role::Value | Role::Compare => scalar::value_of(self, written, wanted),
            Role::Other => Ok(()),
        }
    }

    fn operand_of_move(&self, class: MoveClass, wanted: &OperandSpec, written: &Operand<'a>) -> CheckResult {
        match class {
            MoveClass::Wider => self.typed_operand(wanted, written),
            MoveClass::WiderOrSpecial => scalar::wider_or_special(self, written, wanted),
            MoveClass::Bits => scalar::bits(self, written, wanted.ty),
            MoveClass::Plain => scalar::plain(self, written, wanted.ty),
            MoveClass::AddressOrValue => moved::source(self, written, wanted),
            MoveClass::Four => {
                let mut list = *wanted;
                list.lanes = 4;
                vector::check(self, written, &list)
            }
            MoveClass::Packed => moved::packed(self, written, wanted),
        }
    }

    fn operand_of_matrix(&self, class: MatrixClass, wanted: &OperandSpec, written: &Operand<'a>) -> CheckResult {
        match class {
            MatrixClass::Descriptor => matrix::descriptor(self, written),
            MatrixClass::TensorAddress => matrix::tensor_address(self, written),
            MatrixClass::Register => scalar::register(self, written, wanted.ty),
            MatrixClass::RegisterOrPredicate => matrix::register_or_predicate(self, written, wanted.ty),
            MatrixClass::BareRegister if wanted.role == Role::Destination => {
                matrix::register_result(self, written, wanted.ty)
            }
            MatrixClass::BareRegister => matrix::bare_register(self, written, wanted.ty),
            MatrixClass::Selectors(first, second) => matrix::selectors(self, written, [first, second]),
            MatrixClass::Registers => matrix::registers(self, written, wanted),
        }
    }

    fn operand_of_synchronization(
        &self,
        class: SynchronizationClass,
        wanted: &OperandSpec,
        written: &Operand<'a>,
    ) -> CheckResult {
        match class {
            SynchronizationClass::PlainInteger => integers::plain(self, written, wanted.ty),
            SynchronizationClass::BarrierState => barriers::state(self, written),
            SynchronizationClass::WaitResult => barriers::wait_result(self, written),
            SynchronizationClass::Report => barriers::report(self, written),
            SynchronizationClass::MatchResult if written.kind == OperandKind::Sink => Ok(()),
            SynchronizationClass::MatchResult | SynchronizationClass::ShuffleResult => {
                predicate::optional_predicate(self, written, wanted)
            }
            SynchronizationClass::Fraction => integers::fraction(self, written),
            SynchronizationClass::SymbolAddress => address::symbol(self, written, wanted),
            SynchronizationClass::GenericAddress => integers::of_either_width(self, written),
            SynchronizationClass::AnySize(set) => integers::any_size(self, written, set),
            SynchronizationClass::ScalarOrList if written.kind == OperandKind::Vector => {
                let elements = written.lanes();
                // Measured: a list of constants has any type, and a list is packed into a scalar of its size.
                match elements.iter().any(|element| element.kind != OperandKind::Constant) && wanted.lanes > 1 {
                    true => vector::check(self, written, wanted),
                    false => elements.iter().try_for_each(|element| self.lookup.meaning(element).map(|_| ())),
                }
            }
            SynchronizationClass::ScalarOrList => integers::scalar_or_vector(self, written, wanted.ty),
            SynchronizationClass::Wrapping(set) => integers::wrapping(self, written, set),
            SynchronizationClass::Arrivals => integers::arrivals(self, written),
            SynchronizationClass::TotalSize => scalar::count(self, written),
        }
    }

    fn operand_of_copy(&self, class: CopyClass, wanted: &OperandSpec, written: &Operand<'a>) -> CheckResult {
        match class {
            CopyClass::SourceSize => copies::source_size(self, written),
            CopyClass::CtaMask => copies::cta_mask(self, written),
            CopyClass::ByteMask => copies::byte_mask(self, written),
            CopyClass::TensorMap => copies::tensor_address(self, written),
            CopyClass::EndpointTensor => copies::endpoint_tensor(self, written),
            CopyClass::Offsets => copies::offsets(self, written),
            CopyClass::Bracketed if written.kind == OperandKind::Address => Ok(()),
            CopyClass::Bracketed => Err(address::no_brackets(self, written)?),
            CopyClass::Endpoint => copies::endpoint(self, written),
            CopyClass::BulkBarrier => copies::bulk_barrier(self, written, self.accessed_space(wanted)),
            CopyClass::UnbracketedAddress => copies::unbracketed_address(self, written, self.accessed_space(wanted)),
        }
    }
}
