//! Arguments of a command that are described to clap only if the command is used, or help asks for them: to describe those of all commands takes
//! half of the processor time of a start.

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// The arguments of a command.
pub struct Deferred<T>(pub T);

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Deferred)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args_for_update))
    }
}

/// Adds arguments to a command, whose summary is that of the command and not that of the type of its arguments.
fn described(command: Command, add: impl FnOnce(Command) -> Command) -> Command {
    let (about, long_about) = (command.get_about().cloned(), command.get_long_about().cloned());
    let command = add(command).about(about.unwrap_or_default());
    match long_about {
        Some(long) => command.long_about(long),
        None => command.long_about(None),
    }
}
