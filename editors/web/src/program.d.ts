/** The module to run, before the first `execute`. */
export function use(module: WebAssembly.Module): void;

/** The program with arguments, a text on standard input, and files in its folder; its exit code and what it wrote. */
export function execute(request: { args: string[]; input?: string; files?: Record<string, string> }): { code: number; output: string; errors: string };
