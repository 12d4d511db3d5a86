/** The names of the server's own requests and commands, and of what the extension and its workers in a browser ask each other. */

/** The command that runs a kernel. */
export const RUN = 'ptxAtomics.run';

/** The command that checks a launch of a kernel. */
export const CHECK = 'ptxAtomics.check';

/** The request for the executions of a litmus test. */
export const EXECUTIONS = 'ptxAtomics/executions';

/** Tells the server the line of the cursor: what it withholds while one types is shown once the cursor has left the statement. */
export const CURSOR = 'ptxAtomics/cursor';

/** Asks the client to run the program in the other worker: `Execution` to `ExecutionResult`. */
export const ELSEWHERE = 'ptxAtomics/elsewhere';

/** A run of the program. */
export interface Execution {
  args: string[];
  /** Standard input. */
  input?: string;
}

/** Its exit code, and what it wrote. */
export interface ExecutionResult {
  code: number;
  output: string;
  errors: string;
}
