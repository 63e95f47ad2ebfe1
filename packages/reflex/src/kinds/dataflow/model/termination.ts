/** The kinds of failures, by what failed and not by what it means (reference 7.3). */
export const ERROR_KINDS = [
  'NetworkTimeout',
  'AdapterUnavailable',
  'ValidationFailed',
  'RuntimeError',
  'SemanticError',
  'DeadlineExceeded',
  'Cancelled',
] as const
export type ErrorKind = (typeof ERROR_KINDS)[number]

/** The end of one attempt of a pass: all that a supervisor sees of it. */
export type RunTermination = 'Completed' | 'TimedOut' | 'Aborted' | { readonly Failed: ErrorKind }
