/** Whether a value decides what runs, or is content alone (reference pipeline 5.3). */
export type Role = 'control' | 'data'

/** What a value can be made safe against, in the order of their bits (reference pipeline 5.3). */
export const SAFETIES = [
  'xss',
  'sqli',
  'command_injection',
  'path_traversal',
  'prompt_injection',
  'ssrf',
  'log_injection',
  'deserialization',
] as const

export type Safety = (typeof SAFETIES)[number]

/**
 * One input of an operation. What its attribute holds: `text` that is used as it stands, the `key` or `keys` of context
 * values, a `prompt` with `$key` in it, a `template` with `{ctx.key}`, or a `command` that finds `$NAME` in its environment.
 * `context` has no attribute: the key in `usual` is always read.
 */
export interface Input {
  readonly attribute: string
  readonly reads: 'text' | 'key' | 'keys' | 'prompt' | 'template' | 'command' | 'context'
  readonly role: Role
  /** What a value that was not written by the author must be safe against. */
  readonly needs?: Safety | undefined
  /** The context key that is read where the attribute is not there; `<id>` is the node's id. */
  readonly usual?: string | undefined
}

/**
 * One context key that an operation writes. `<id>` is the node's id; a key that ends in a dot stands for all keys that
 * begin so. With `attribute`, the key is what the attribute says, and `key` where it says nothing.
 */
export interface Output {
  readonly key?: string | undefined
  readonly attribute?: string | undefined
  /** The attribute holds a prefix: every key behind it and a dot. */
  readonly isPrefix?: true | undefined
  readonly origin: Origin
}

/**
 * Where what is written comes from: `inputs`, no less trusted than what was read; `model`, at least derived, with all that
 * made it safe undone; `derived` and `outside`, at least derived or untrusted; `engine`, made by Reflex or chosen by a person.
 */
export type Origin = 'inputs' | 'model' | 'derived' | 'outside' | 'engine'

/** An attribute that names a context value. */
export function key(attribute: string, usual?: string, role: Role = 'data', needs?: Safety): Input {
  return { attribute, reads: 'key', role, usual, needs }
}

/** An attribute that names several context values. */
export function keys(attribute: string, needs?: Safety): Input {
  return { attribute, reads: 'keys', role: 'data', needs }
}

/** A context value that is always read. */
export function context(usual: string, role: Role = 'data', needs?: Safety): Input {
  return { attribute: '', reads: 'context', role, usual, needs }
}

/** Text with `$key` in it. */
export function prompt(attribute: string): Input {
  return { attribute, reads: 'prompt', role: 'data' }
}

/** Text with `{ctx.key}` in it. */
export function template(attribute: string): Input {
  return { attribute, reads: 'template', role: 'data' }
}

/** A command that finds context values in its environment by `$NAME` (reference pipeline 4.5). */
export function environment(attribute: string): Input {
  return { attribute, reads: 'command', role: 'data', needs: 'command_injection' }
}

/** What the author writes and what decides what runs: commands, paths, addresses, patterns. */
export function authored(attribute: string, needs?: Safety): Input {
  return { attribute, reads: 'text', role: 'control', needs }
}

/** Keys that are written, in one row. */
export function writes(origin: Origin, ...names: readonly string[]): Output[] {
  return names.map((name) => ({ key: name, origin }))
}

/** A key that an attribute names. */
export function writesAt(origin: Origin, attribute: string, usual?: string): Output {
  return { attribute, key: usual, origin }
}

/** Keys under a prefix that an attribute names. */
export function writesUnder(origin: Origin, attribute: string): Output {
  return { attribute, isPrefix: true, origin }
}
