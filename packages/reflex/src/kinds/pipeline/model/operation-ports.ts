/** The role of a value: `control` decides what runs, `data` is content (reference pipeline 5.3). */
export type Role = 'control' | 'data'

/** The attacks that a value can be made safe against, in bit order (reference pipeline 5.3). */
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
 * An input of an operation. `reads` states the content of its attribute: `text` used unchanged, the `key` or `keys` of context
 * values, a `prompt` with `$key`, a `template` with `{ctx.key}`, or a `command` with `$NAME` from its environment. `context`
 * has no attribute: the key in `usual` is always read.
 */
export interface Input {
  readonly attribute: string
  readonly reads: 'text' | 'key' | 'keys' | 'prompt' | 'template' | 'command' | 'context'
  readonly role: Role
  /** The attack that a value not written by the author must be safe against. */
  readonly needs?: Safety | undefined
  /** The context key that is read if the attribute is absent; `<id>` is the node's id. */
  readonly usual?: string | undefined
}

/**
 * A context key that an operation writes. `<id>` is the node's id; a key that ends in a dot is a prefix. `attribute` names the
 * attribute with the key; `key` is its default.
 */
export interface Output {
  readonly key?: string | undefined
  readonly attribute?: string | undefined
  /** The attribute has a prefix: all keys after it and a dot. */
  readonly isPrefix?: true | undefined
  readonly origin: Origin
}

/**
 * The origin of a written value: `inputs`: the label of the values read; `model`: derived or worse, and all safety checks are
 * lost; `derived` and `outside`: derived or untrusted, or worse; `engine`: made by Reflex or chosen by a person.
 */
export type Origin = 'inputs' | 'model' | 'derived' | 'outside' | 'engine'

/** Declares an attribute that names a context value. */
export function key(attribute: string, usual?: string, role: Role = 'data', needs?: Safety): Input {
  return { attribute, reads: 'key', role, usual, needs }
}

/** Declares an attribute that names several context values. */
export function keys(attribute: string, needs?: Safety): Input {
  return { attribute, reads: 'keys', role: 'data', needs }
}

/** Declares a context value that is always read. */
export function context(usual: string, role: Role = 'data', needs?: Safety): Input {
  return { attribute: '', reads: 'context', role, usual, needs }
}

/** Declares a text with `$key`. */
export function prompt(attribute: string): Input {
  return { attribute, reads: 'prompt', role: 'data' }
}

/** Declares a text with `{ctx.key}`. */
export function template(attribute: string): Input {
  return { attribute, reads: 'template', role: 'data' }
}

/** Declares a command that reads context values from its environment by `$NAME` (reference pipeline 4.5). */
export function environment(attribute: string): Input {
  return { attribute, reads: 'command', role: 'data', needs: 'command_injection' }
}

/** Declares an attribute of the author that decides what runs: a command, a path, an address, a pattern. */
export function authored(attribute: string, needs?: Safety): Input {
  return { attribute, reads: 'text', role: 'control', needs }
}

/** Declares several written keys of one origin. */
export function writes(origin: Origin, ...names: readonly string[]): Output[] {
  return names.map((name) => ({ key: name, origin }))
}

/** Declares a written key that an attribute names. */
export function writesAt(origin: Origin, attribute: string, usual?: string): Output {
  return { attribute, key: usual, origin }
}

/** Declares written keys under a prefix that an attribute names. */
export function writesUnder(origin: Origin, attribute: string): Output {
  return { attribute, isPrefix: true, origin }
}
