import type { Fault, Json } from '../kernel/index.ts'
import { faults } from './faults.ts'
import { issueText } from './issue-text.ts'
import { requestShape } from './request-shape.ts'
import type { ModelReply, ModelRequest } from './types.ts'

/**
 * Reads the arguments of the port `model`. Throws `R4017` with the names of the wrong keys, and `R4031` for a key in
 * the options of a provider.
 */
export function readRequest(args: Json | undefined): ModelRequest {
  const read = requestShape().safeParse(args)
  if (read.success) {
    refuseKeys(read.data)
    return read.data
  }
  throw faults.make('R4017', `the request to a model cannot be read: ${issueText(read.error.issues, args, 'the request')}`, {
    fix: 'correct what the message names',
  })
}

/** The names of settings that contain a key or a password. */
const KEY_NAME =
  /^(?:x-)?(?:api[-_]?key|authorization|auth[-_]?token|access[-_]?(?:key|token)(?:[-_]?id)?|secret(?:[-_]?access)?[-_]?key|secret|session[-_]?token|bearer(?:[-_]?token)?|password|credentials?|private[-_]?key)$/i

/** Returns the path of a key or password in the options of a provider: records keep options unchanged. */
export function findKey(options: Json | undefined, path: readonly string[] = []): string | undefined {
  if (typeof options !== 'object' || options === null) return undefined
  for (const [name, value] of Object.entries(options)) {
    const at = [...path, name]
    if (KEY_NAME.test(name) && typeof value === 'string' && value !== '') return at.join('.')
    const inner = findKey(value, at)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** Throws `R4031` for a request whose provider options contain a key. */
export function refuseKeys({ options, messages }: ModelRequest): void {
  const parts = messages.flatMap((message) => (message.role === 'user' ? (message.parts ?? []) : []))
  for (const given of [options, ...[...messages, ...parts].map((one) => one.options)]) {
    const found = findKey(given)
    if (found !== undefined) throw keyInOptionsFault(found)
  }
}

/** Returns the fault `R4031`. */
export function keyInOptionsFault(path: string): Fault {
  return faults.make('R4031', `the provider options contain ${path}; records keep options unchanged`, {
    fix: `remove ${path}; set the variable of the provider in the environment instead`,
  })
}

/** True if calls can be the answer to a request. Otherwise calls would count as an answer that nothing checks. */
export function hasOfferedTools({ tools = [], choice }: ModelRequest): boolean {
  return tools.length > 0 && choice !== 'none'
}

/** A reply of which only the relevant parts are written. */
export type PartialReply = { readonly [key in keyof ModelReply]?: ModelReply[key] | undefined }
