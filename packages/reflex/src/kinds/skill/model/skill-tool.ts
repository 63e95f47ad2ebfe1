/** What a tool declares for skills. What is not said is the worst: it changes something outside, and repeating it is unsafe (reference skill 1.6). */
export interface SkillTool {
  readonly name: string
  readonly sideEffects: 'none' | 'local' | 'external'
  readonly idempotent: boolean
  /** The argument that is a command line, if one is: its template becomes argv once, when the manifest is read. */
  readonly commandLine?: string
  /** The argument that is a text of a shell, if one is: no value can be part of it, and the step and the policy must allow a shell. */
  readonly script?: string
  /** The most that one call costs, in US dollars, for the budget before a step. */
  readonly estimatedCost?: number
  /** The tool, with its arguments as templates over `args` and `result` of the call, that undoes a call. */
  readonly undo?: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  /** JSON pointers of arguments and results that no record may hold. */
  readonly redact?: readonly string[]
}
